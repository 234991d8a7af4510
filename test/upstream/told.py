"""told(is_right): the last line of each program."""


def told(is_right):
    print("as it should be" if is_right else "fault", flush=True)
