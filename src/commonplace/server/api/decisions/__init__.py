"""What people decide and take back: suggestions, sets, approvals, comments, history, as JSON.

Each module gives its routes; the rest of the API does not know them.
"""
