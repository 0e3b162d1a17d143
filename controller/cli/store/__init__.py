"""Commands that read the store of the back office: proof, report, figures."""
