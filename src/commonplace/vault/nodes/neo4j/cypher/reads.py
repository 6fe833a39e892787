"""Every statement that is put to Neo4j. The model that they share is drawn in the package.

Statements are constants; whatever comes from notes or callers is a parameter.
"""

from typing import LiteralString

Statement = LiteralString

# -- the mark of the store, and its lock

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

# -- reading

FIND: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id ORDER BY size(n.id) LIMIT 1
"""

# What is asked for with every answer comes as one record: a record each costs the driver several
# times as much as a list in one. The titles of links come along: no round trip of their own.

NODE: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
WITH n ORDER BY size(n.id) LIMIT 1
RETURN n.id AS id, n.title AS title, n.frontmatter AS frontmatter, n.content AS content,
       COLLECT { MATCH (n)-[t:TAGGED]->() RETURN t.name ORDER BY t.order } AS tags,
       COLLECT { MATCH (n)-[l:LINKS_TO]->(m) RETURN [m.id, m.title] ORDER BY l.order } AS links
"""

NODES: Statement = """
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Note {id: $ids[place]})
WITH n ORDER BY place
RETURN collect({
    id: n.id, title: n.title, content: left(n.content, $units),
    tags: COLLECT { MATCH (n)-[t:TAGGED]->() RETURN t.name ORDER BY t.order },
    links: COLLECT { MATCH (n)-[l:LINKS_TO]->(m) RETURN [m.id, m.title] ORDER BY l.order }
}) AS nodes
"""

TITLES: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN collect([n.id, n.title]) AS titles
"""

WARNINGS: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN collect({id: n.id, broken: n.broken, faults: n.faults}) AS nodes
"""

TEXT: Statement = """
MATCH (n:Note {id: $id})
RETURN n.frontmatter + n.content AS text
"""

TAKEN: Statement = "MATCH (n:Note {key: $key}) RETURN n.id AS id"

IDS_BENEATH: Statement = """
MATCH (n:Note) WHERE n.id STARTS WITH $start
RETURN n.id AS id LIMIT $limit
"""

# -- walking

OUT: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
WITH n ORDER BY size(n.id) LIMIT 1
RETURN COUNT { (n)-[:LINKS_TO]->() } AS total,
       COLLECT { MATCH (n)-[l:LINKS_TO]->(m) RETURN m.id ORDER BY l.order LIMIT $limit } AS ids
"""

INTO: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
WITH n ORDER BY size(n.id) LIMIT 1
RETURN COUNT { (n)<-[:LINKS_TO]-() } AS total,
       COLLECT { MATCH (n)<-[:LINKS_TO]-(m) RETURN m.id ORDER BY m.id LIMIT $limit } AS ids
"""

SHORTEST: Statement = """
MATCH (a:Note {id: $source}), (b:Note {id: $target})
MATCH p = shortestPath((a)-[:LINKS_TO*]->(b))
RETURN [n IN nodes(p) | n.id] AS way
"""

# Of very many shortest ways not all are made: then `NEXT_STEP` finds the first of them.
ALL_SHORTEST: Statement = """
MATCH (a:Note {id: $source}), (b:Note {id: $target})
MATCH p = allShortestPaths((a)-[:LINKS_TO*]->(b))
RETURN [n IN nodes(p) | n.id] AS way LIMIT $limit
"""

NEXT_STEP: Statement = """
MATCH (a:Note {id: $source})-[:LINKS_TO]->(x:Note)
WHERE x.id <> $target
WITH x ORDER BY x.id
MATCH (b:Note {id: $target})
MATCH p = shortestPath((x)-[:LINKS_TO*]->(b))
WHERE length(p) = $left
RETURN x.id AS id LIMIT 1
"""

IN_DEGREES: Statement = """
MATCH (n:Note)
WITH n, COUNT { (n)<-[:LINKS_TO]-() } AS degree WHERE degree > 0
RETURN n.id AS id, degree ORDER BY degree DESC, id LIMIT $limit
"""

OUT_DEGREES: Statement = """
MATCH (n:Note)
WITH n, COUNT { (n)-[:LINKS_TO]->() } AS degree WHERE degree > 0
RETURN n.id AS id, degree ORDER BY degree DESC, id LIMIT $limit
"""

NEAR: Statement = """
MATCH (n:Note)-[:LINKS_TO]-(m:Note)
WHERE n.id IN $edge AND NOT m.id IN $found
RETURN DISTINCT m.id AS id ORDER BY id LIMIT $limit
"""

NEWEST: Statement = """
MATCH (n:Note)
RETURN n.id AS id ORDER BY n.modified DESC, id LIMIT $limit
"""

AMONG: Statement = """
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Note {id: $ids[place]})
RETURN n.id AS id, COUNT { (n)-[:LINKS_TO]-() } AS degree,
       COLLECT { MATCH (n)-[l:LINKS_TO]->(m:Note) WHERE m.id IN $ids RETURN m.id ORDER BY l.order }
       AS links
ORDER BY place
"""

# -- tags

# A tag means those beneath it, too. They are named first, so that no path is followed from a note.
COUNT_TAGGED: Statement = """
UNWIND $keys AS key
OPTIONAL MATCH (:Tag {key: key})<-[:WITHIN*0..]-(beneath:Tag)
RETURN key, collect(beneath.key) AS beneath, sum(COUNT { (beneath)<-[:TAGGED]-() }) AS notes
"""

TAGGED_ANY: Statement = """
MATCH (t:Tag)<-[:TAGGED]-(n:Note) WHERE t.key IN $first
WITH DISTINCT n
WITH n.id AS id ORDER BY id
WITH collect(id) AS ids
RETURN ids[..$limit] AS ids, size(ids) AS total
"""

# From the rarest tag on: only its notes are asked for the others.
TAGGED_EVERY: Statement = """
MATCH (t:Tag)<-[:TAGGED]-(n:Note) WHERE t.key IN $first
WITH DISTINCT n
WHERE all(each IN $groups WHERE EXISTS { (n)-[:TAGGED]->(o:Tag) WHERE o.key IN each })
WITH n.id AS id ORDER BY id
WITH collect(id) AS ids
RETURN ids[..$limit] AS ids, size(ids) AS total
"""

# If very many notes carry the rarest, each tag's notes are gone through once.
MANY_TAGGED_EVERY: Statement = """
UNWIND range(0, size($groups) - 1) AS place
MATCH (t:Tag)<-[:TAGGED]-(n:Note) WHERE t.key IN $groups[place]
WITH n, count(DISTINCT place) AS places WHERE places = size($groups)
WITH n.id AS id ORDER BY id
WITH collect(id) AS ids
RETURN ids[..$limit] AS ids, size(ids) AS total
"""

# Tags that very many notes carry are soon met on a walk over the notes by their ids.
WALK_TAGGED_ANY: Statement = """
MATCH (n:Note) WHERE n.id > ''
AND EXISTS { (n)-[:TAGGED]->(t:Tag) WHERE t.key IN $first }
RETURN n.id AS id ORDER BY id LIMIT $limit
"""

COUNT_TAGGED_ANY: Statement = """
MATCH (t:Tag)<-[:TAGGED]-(n) WHERE t.key IN $first
RETURN count(DISTINCT n) AS total
"""

COUNT_NOTES: Statement = "MATCH (n:Note) RETURN count(n) AS notes"

NOTE_AT: Statement = "MATCH (n:Note) RETURN n.id AS id SKIP $place LIMIT 1"

# -- writing notes

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

NAMES_OF: Statement = """
MATCH (n:Note)-[c:CALLED]->(k:Name) WHERE n.id IN $ids
RETURN n.id AS id, k.key AS key, c.kind AS kind, c.name AS name
"""

TAGS_AND_FOLDERS_OF: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN COLLECT { MATCH (n)-[:TAGGED]->(t:Tag) RETURN t.key } AS tags,
       COLLECT { MATCH (n)-[:IN]->(f:Folder) RETURN f.path } AS folders
"""

WANTED_BY: Statement = """
MATCH (n:Note)-[:WANTS]->(w:Missing) WHERE n.id IN $ids
RETURN DISTINCT w.name AS name
"""

MENTIONING: Statement = """
MATCH (n:Note)-[:MENTIONS]->(k:Name) WHERE k.key IN $keys
RETURN DISTINCT n.id AS id
"""

MENTIONS_OF: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
MATCH (n)-[m:MENTIONS]->(k:Name)
WITH n, m, k ORDER BY m.order
RETURN n.id AS id, collect([m.raw, k.key, m.kind]) AS mentions
"""

CARRIERS: Statement = """
MATCH (n:Note)-[c:CALLED]->(k:Name) WHERE k.key IN $keys
RETURN k.key AS key, n.id AS id, c.kind AS kind, c.name AS name
"""

LINKS_OF: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id, n.broken AS broken,
       COLLECT { MATCH (n)-[l:LINKS_TO]->(m:Note) RETURN [m.id, l.kinds] ORDER BY l.order } AS links
"""

LINKING: Statement = "MATCH (m:Note)-[:LINKS_TO]->(:Note {id: $id}) RETURN m.id AS id ORDER BY id"

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

TEXTS: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id, n.frontmatter + n.content AS text
"""

MOVE: Statement = "MATCH (n:Note {id: $id}) SET n.id = $to"

TRASH: Statement = """
MATCH (n:Note {id: $id})
CALL (n) { MATCH (n)-[:HAS]->(p:Passage) DETACH DELETE p }
CALL (n) { MATCH (n)-[r]-() DELETE r }
REMOVE n:Note, n:Unembedded, n.key
SET n:Trashed, n.trashed = datetime()
"""

DELETE_NOTES: Statement = """
MATCH (n:Note) WHERE n.id IN $ids DETACH DELETE n
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

DROP_MISSING: Statement = """
MATCH (w:Missing) WHERE w.name IN $names AND NOT EXISTS { (w)--() }
DELETE w
"""

# -- search

WORDS: Statement = """
CALL db.index.fulltext.queryNodes('commonplace_words', $query, {limit: $limit})
YIELD node, score
RETURN node.id AS id, score
"""

NEAREST: Statement = """
CALL db.index.vector.queryNodes('commonplace_meaning', $limit, $vector) YIELD node, score
MATCH (n:Note)-[:HAS]->(node)
RETURN n.id AS id, max(score) AS score
"""

UNEMBEDDED: Statement = """
MATCH (n:Note:Unembedded)
RETURN n.id AS id, n.title AS title, n.revision AS revision,
       n.frontmatter + n.content AS text LIMIT $limit
"""

COUNT_UNEMBEDDED: Statement = "MATCH (n:Unembedded) RETURN count(n) AS notes"

PUT_PASSAGES: Statement = """
UNWIND $rows AS row
MATCH (n:Note {id: row.id}) WHERE n.revision = row.revision
REMOVE n:Unembedded
WITH n, row
CALL (n) { MATCH (n)-[:HAS]->(old:Passage) DETACH DELETE old }
UNWIND row.passages AS passage
CREATE (n)-[:HAS]->(p:Passage {start: passage.start, end: passage.end})
WITH p, passage
CALL db.create.setNodeVectorProperty(p, 'vector', passage.vector)
"""

KEEP_PROVIDER: Statement = """
MATCH (m:Commonplace {name: 'store'}) SET m.provider = $provider
"""

FORGET_PASSAGES: Statement = """
MATCH (p:Passage) CALL (p) { DETACH DELETE p } IN TRANSACTIONS OF 1000 ROWS
"""

EMBED_ANEW: Statement = """
MATCH (n:Note) CALL (n) { SET n:Unembedded } IN TRANSACTIONS OF 1000 ROWS
"""

DROP_MEANING: Statement = "DROP INDEX commonplace_meaning IF EXISTS"

MAKE_MEANING: Statement = """
CREATE VECTOR INDEX commonplace_meaning IF NOT EXISTS FOR (p:Passage) ON p.vector
OPTIONS $options
"""

AWAIT_INDEXES: Statement = "CALL db.awaitIndexes(60)"

# -- the mirror's own

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
