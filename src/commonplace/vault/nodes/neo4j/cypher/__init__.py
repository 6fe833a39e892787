"""Every statement that is put to Neo4j. The model that they share is drawn in the package above.

Statements are constants; whatever comes from notes or callers is a parameter. Imports nothing.
"""

from typing import LiteralString

Statement = LiteralString
