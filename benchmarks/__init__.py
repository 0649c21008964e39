"""How fast messages go, beside the other ways to carry them between two Python processes.

`python -m benchmarks` runs every rival of `rivals/` in turn, several rounds of all, so that a machine that grows
slower during the run is slower for everyone; ratios are taken within a round. Beside them: ends that sleep in epoll
(`rivals.SLEEPERS`), an active client among silent ones (`_crowded`), many clients at once (`_storm`), and how soon a
survivor hears of a death (`_death`). `_foreign` runs by itself: what of a cffi script's round trip is the library's.
"""
