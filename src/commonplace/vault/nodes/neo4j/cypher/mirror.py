"""What the mirror alone asks and writes: fingerprints, missing notes, links as they are."""

from commonplace.vault.nodes.neo4j.cypher import Statement

WANTED_BY: Statement = """
MATCH (n:Note)-[:WANTS]->(w:Missing) WHERE n.id IN $ids
RETURN DISTINCT w.name AS name
"""

DELETE_NOTES: Statement = """
MATCH (n:Note) WHERE n.id IN $ids DETACH DELETE n
"""

DROP_MISSING: Statement = """
MATCH (w:Missing) WHERE w.name IN $names AND NOT EXISTS { (w)--() }
DELETE w
"""

FINGERPRINTS: Statement = """
MATCH (n:Note) WHERE n.id > $after
RETURN n.id AS id, n.fingerprint AS fingerprint ORDER BY id LIMIT $limit
"""

FINGERPRINTS_OF: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id, n.fingerprint AS fingerprint
"""

# Whatever else people tied to a note stays with it under its new name.
FOLLOW: Statement = """
UNWIND $moves AS move
MATCH (n:Note {id: move.was})
WHERE NOT EXISTS { MATCH (:Note {id: move.id}) }
SET n.id = move.id
"""

# A link to a note that is not there yet leaves the note marked as not finished.
PUT_MIRRORED_LINKS: Statement = """
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
CALL (n) { MATCH (n)-[old:LINKS_TO|WANTS]->() DELETE old }
CALL (n, row) {
  UNWIND row.wants AS want
  MERGE (w:Missing {name: want.name})
  CREATE (n)-[:WANTS {kinds: want.kinds}]->(w)
}
CALL (n, row) {
  UNWIND row.links AS link
  MATCH (m:Note {id: link.id})
  CREATE (n)-[:LINKS_TO {order: link.order, kinds: link.kinds}]->(m)
  RETURN count(*) AS made
}
SET n.fingerprint = CASE WHEN made = size(row.links) THEN row.fingerprint ELSE '' END
RETURN n.id AS id, n.fingerprint AS fingerprint
"""

DESCRIBE: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id, properties(n) AS set,
       COLLECT { MATCH (n)-[t:TAGGED]->(k:Tag) RETURN [k.key, t.name] ORDER BY t.order } AS tags,
       COLLECT { MATCH (n)-[:IN]->(f:Folder) RETURN f.path } AS folders,
       COLLECT { MATCH (n)-[l:LINKS_TO]->(m:Note) RETURN [m.id, l.kinds] ORDER BY l.order }
       AS links,
       COLLECT { MATCH (n)-[l:WANTS]->(w:Missing) RETURN [w.name, l.kinds] ORDER BY w.name }
       AS wants
"""
