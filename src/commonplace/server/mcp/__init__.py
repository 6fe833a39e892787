"""The Model Context Protocol in both eras: tools, resources, notices, questions to a person.

An actor is worked out here, once for each request. Imports access and api.
"""
