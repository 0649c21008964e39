"""The vocabulary of all generations, for whatever meets a program before it knows which one that uses."""

from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.vocabulary import joined

VOCABULARY = joined(GENERATION_1)
