"""The simulated devices as pure machines: shufflers, shoes, the progressive, and the cards in them."""
