"""Notes written, moved and deleted, and what nothing refers to any more dropped."""

from commonplace.vault.nodes.neo4j.cypher import Statement

PUT_NOTES: Statement = """
UNWIND $rows AS row
MERGE (n:Note {id: row.id})
FOREACH (key IN [key IN keys(n) WHERE key STARTS WITH 'p_'] | REMOVE n[key])
SET n += row.set, n.modified = datetime({epochMillis: row.modified})
WITH n, row
CALL (n) { MATCH (n)-[old:TAGGED|IN|CALLED|MENTIONS]->() DELETE old }
CALL (n, row) {
  UNWIND row.tags AS tag
  MERGE (t:Tag {key: tag.key}) ON CREATE SET t.name = tag.name
  CREATE (n)-[:TAGGED {order: tag.order, name: tag.name}]->(t)
}
CALL (n, row) {
  UNWIND row.names AS name
  MERGE (k:Name {key: name.key})
  CREATE (n)-[:CALLED {kind: name.kind, name: name.name}]->(k)
}
CALL (n, row) {
  UNWIND row.mentions AS mention
  MERGE (k:Name {key: mention.key})
  CREATE (n)-[:MENTIONS {order: mention.order, raw: mention.raw, kind: mention.kind}]->(k)
}
CALL (n, row) {
  UNWIND row.folders AS folder
  MERGE (f:Folder {path: folder})
  CREATE (n)-[:IN]->(f)
}
"""

MARK_UNEMBEDDED: Statement = "MATCH (n:Note) WHERE n.id IN $ids SET n:Unembedded"

NEST_TAGS: Statement = """
UNWIND $pairs AS pair
MERGE (child:Tag {key: pair.key}) ON CREATE SET child.name = pair.name
MERGE (parent:Tag {key: pair.parent_key}) ON CREATE SET parent.name = pair.parent_name
MERGE (child)-[:WITHIN]->(parent)
"""

NEST_FOLDERS: Statement = """
UNWIND $pairs AS pair
MERGE (child:Folder {path: pair.path})
MERGE (parent:Folder {path: pair.parent})
MERGE (child)-[:IN]->(parent)
"""

PUT_LINKS: Statement = """
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.broken = row.broken
WITH n, row
CALL (n) { MATCH (n)-[old:LINKS_TO]->() DELETE old }
CALL (n, row) {
  UNWIND row.links AS link
  MATCH (m:Note {id: link.id})
  CREATE (n)-[:LINKS_TO {order: link.order, kinds: link.kinds}]->(m)
}
"""

MOVE: Statement = "MATCH (n:Note {id: $id}) SET n.id = $to"

TRASH_NOTE: Statement = """
MATCH (n:Note {id: $id})
CALL (n) { MATCH (n)-[:HAS]->(p:Passage) DETACH DELETE p }
CALL (n) { MATCH (n)-[r]-() DELETE r }
REMOVE n:Note, n:Unembedded, n.key
SET n:Trashed, n.trashed = datetime()
"""

# -- what nothing refers to any more

DROP_TAGS: Statement = """
MATCH (t:Tag) WHERE t.key IN $keys AND NOT EXISTS { (t)<-[:TAGGED|WITHIN]-() }
DETACH DELETE t
"""

DROP_FOLDERS: Statement = """
MATCH (f:Folder) WHERE f.path IN $paths AND NOT EXISTS { (f)<-[:IN]-() }
DETACH DELETE f
"""

DROP_NAMES: Statement = """
MATCH (k:Name) WHERE k.key IN $keys AND NOT EXISTS { (k)--() }
DELETE k
"""
