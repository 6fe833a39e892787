"""What notes hold and how they are linked: the statements that change nothing."""

from commonplace.vault.nodes.neo4j.cypher import Statement

# -- notes

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

# -- walks

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

# -- what has to be known before notes are written

NAMES_OF: Statement = """
MATCH (n:Note)-[c:CALLED]->(k:Name) WHERE n.id IN $ids
RETURN n.id AS id, k.key AS key, c.kind AS kind, c.name AS name
"""

TAGS_AND_FOLDERS_OF: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN COLLECT { MATCH (n)-[:TAGGED]->(t:Tag) RETURN t.key } AS tags,
       COLLECT { MATCH (n)-[:IN]->(f:Folder) RETURN f.path } AS folders
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

TEXTS: Statement = """
MATCH (n:Note) WHERE n.id IN $ids
RETURN n.id AS id, n.frontmatter + n.content AS text
"""
