"""Nodes in a Neo4j database, in two uses that share one model of the graph (`cypher`).

*own*: the nodes live there, and the ten graph tools work on them (`store`, `notes`, `search`).
*mirror*: the vault stays the truth, and a follower keeps a copy of it there (`mirror`, `replica`).

    (:Note {id, title, content, …})-[:LINKS_TO {order, kinds}]->(:Note)
    (:Note)-[:TAGGED {order, name}]->(:Tag {key, name})-[:WITHIN]->(:Tag)
    (:Note)-[:IN]->(:Folder {path})-[:IN]->(:Folder)
    (:Note)-[:WANTS {kinds}]->(:Missing {name})        links that lead nowhere yet
    (:Commonplace {use, vault, schema, revision, …})   the one mark that says whose all this is

A database holds one of the two, of one vault: Commonplace touches nothing that is not its own.
"""
