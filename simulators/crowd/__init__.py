"""Many tables from few processes: what a back office has to bear, as `tablewarden bench --tables`."""
