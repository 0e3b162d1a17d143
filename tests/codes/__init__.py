"""The page of codes, and that it lists each code that the product raises."""
