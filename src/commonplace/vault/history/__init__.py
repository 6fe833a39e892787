"""What happened to the notes: who wrote what, when, and how to take it back.

*Intents* make a change of many notes whole, whatever stops it. To change several notes as one:

    1. Write a `Carrier` for your kind of change: `carry_out` one step, `take_back` one step, and
       `close` (what else to remember once all is done). Register it: `intents.register(kind, it)`.
    2. `await intents.run(Intent.new(kind, actor, steps, set=...))`. The intent is committed, each
       step is carried out in its order, and the intent is closed; if a step raises `Conflict` or
       `NotFound`, those before it are taken back and the error is raised.
    3. In `carry_out`, edit the note with `Purpose(cause, set, records=intents.done(...))`: that the
       step is done, and how to take it back, is saved with the edit itself, in one transaction. In
       `take_back`, with `records=intents.back(...)`.
    4. At the start `intents.recover()` finishes what a crash cut short, or, where a step cannot be
       made any more, takes back what was made of it. Then nothing is half done.

A *revision* is what somebody did to one note, from one cause, as text: time, actor, cause, the
change set it belongs to (`set`), and the delta from the text before.

    intents    changes of many notes, whole or not at all
"""
