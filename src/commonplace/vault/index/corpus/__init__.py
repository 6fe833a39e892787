"""The joined texts of all notes: which stretch is whose, and which parts hold a piece of text."""
