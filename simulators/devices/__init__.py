"""The simulated devices as pure machines: shufflers, shoes, progressive units, and their cards."""
