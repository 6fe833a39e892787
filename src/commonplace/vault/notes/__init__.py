"""Notes created, rewritten, renamed with all their links, deleted to the trash and restored.

Each change is first a request that a person or a policy permits. A rename is whole after a crash,
or has not happened. Imports suggestions and what is below.
"""
