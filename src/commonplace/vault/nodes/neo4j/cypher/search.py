"""Search by words, and by passages and their vectors."""

from commonplace.vault.nodes.neo4j.cypher import Statement

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
