import sys
from dataclasses import replace

from meter.ends import ClientEnd
from meter.settings import Settings

QUESTIONS = """upper do re mi
letters do re mi
sum 1 2.5 4
traffic
product 3 4
limit"""


def main():
    settings = replace(Settings.from_environment(), device="b1:00.0")
    with ClientEnd(settings) as first, ClientEnd(settings) as second:
        for question in QUESTIONS.splitlines():
            print(question, "->", first.ask(*question.split()))
        print("second", second.ask("traffic"))
        print("first", first.ask("traffic"))
        print("second", second.ask("quit"))
        first.ep.disconnect(first.peer)
        second.ep.disconnect(second.peer)


if __name__ == "__main__":
    sys.exit(main())
