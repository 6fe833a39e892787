"""Whether a write may happen: policies, questions to a person, approvals, access tokens.

No assistant can answer for a person. Every request is in the audit. Imports log and settings.
"""
