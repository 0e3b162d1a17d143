"""What comes with a release from others: bill of materials, licences, advisories."""
