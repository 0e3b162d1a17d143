"""What people read: the page of `status`, instructions, sums of money."""
