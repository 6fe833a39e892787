"""The vault that the page's tests look at."""

_CLAUDE = '{"author":"Claude","time":1794700000}@@'
_LATER = '{"author":"Claude","time":1794740000}@@'
_MARIA = '{"author":"Maria","time":1794750000}@@'
_OLD = "The old apple tree should be cut down this winter."
_NEW = (
    "The old apple tree should be pruned this winter, and cut down only if it bears no fruit"
    " next year."
)

PLAN = f"""---
title: The garden plan
tags: [garden, spring]
status: draft
due: 2027-03-01
done: false
---
# The garden plan

We sow {{--{_CLAUDE}peas--}}{{++{_CLAUDE}sugar peas++}} in the first week of March, as soon as the \
ground can be worked. See [[Bees]] and [[Nowhere]].

{{--{_LATER}{_OLD}--}}{{++{_LATER}{_NEW}++}}

## Beds

- Tomatoes along the south wall
- Beans{{++{_MARIA} and nasturtiums++}} by the fence
- Herbs near the kitchen {{>>Is there still room?<<}}

## Tools

Everything hangs in the shed. {{==Check the scythe==}} before April.

```js
const x = "{{++not a suggestion++}}";
```
"""

NOTES = {
    "Garden/Plan.md": PLAN,
    "Garden/Bees.md": (
        "# Bees\n\nThey visit the clover in June and the beds of the [[Plan]] all summer. #garden\n"
    ),
    "Garden/Clover.md": "# Clover\n\nWhite clover feeds the [[Bees]].\n",
    "Reading/Walden.md": "# Walden\n\nA book about a pond. #reading/classics\n",
    "Reading/Middlemarch.md": "# Middlemarch\n\nEverybody {--marries--}{++means++} well.\n",
    "Templates/Meeting.md": "# {{title}}\n\nDate: {{date}}\n\n## Who\n",
    "Start here.md": "# Start here\n\nBegin with the [[Plan]].\n",
    "日記/あ.md": "# 日記\n\n今日は晴れ。\n",
}
