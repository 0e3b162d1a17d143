"""What a round pays: the offer, its checks, settlement, validation, correction."""
