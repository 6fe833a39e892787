"""What all tests share."""

from hypothesis import settings

# A law that holds takes as long as the machine is busy; how fast things are is measured elsewhere.
settings.register_profile("commonplace", deadline=None)
settings.load_profile("commonplace")
