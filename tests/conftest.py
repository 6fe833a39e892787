"""What all tests share."""

from hypothesis import settings

# A law that holds takes as long as the machine is busy; how fast things are is measured elsewhere.
# The same examples each time: a change is judged by what it changes. To look for new ones, run
# `pytest --hypothesis-profile search`.
settings.register_profile("commonplace", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
# `make laws`: very many examples, others each time.
settings.register_profile("laws", deadline=None, max_examples=100_000)
settings.load_profile("commonplace")
