"""The mark of the store, and its lock."""

from commonplace.vault.nodes.neo4j.cypher import Statement

READ_MARK: Statement = """
MATCH (m:Commonplace {name: 'store'})
RETURN m.use AS use, m.vault AS vault, m.schema AS schema, m.revision AS revision,
       m.digest AS digest, m.provider AS provider
"""

MAKE_MARK: Statement = """
MERGE (m:Commonplace {name: 'store'})
ON CREATE SET m.use = $use, m.vault = $vault, m.schema = 0, m.revision = 0, m.recent = [],
              m.digest = $digest
"""

KEEP_SCHEMA: Statement = "MATCH (m:Commonplace {name: 'store'}) SET m.schema = $schema"

LOCK_MARK: Statement = """
MATCH (m:Commonplace {name: 'store'})
SET m.revision = m.revision + 1
RETURN m.recent AS recent, m.digest AS digest
"""

KEEP_RECENT: Statement = "MATCH (m:Commonplace {name: 'store'}) SET m.recent = $recent"

KEEP_DIGEST: Statement = "MATCH (m:Commonplace {name: 'store'}) SET m.digest = $digest"

FOREIGN_NOTES: Statement = """
RETURN EXISTS { (:Note) } OR EXISTS { (:Tag) } OR EXISTS { (:Folder) } AS any
"""

KEEP_PROVIDER: Statement = """
MATCH (m:Commonplace {name: 'store'}) SET m.provider = $provider
"""
