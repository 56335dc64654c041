"""Logs and prints one line of 20 MB each."""


def run(inputs, args, context):
    line = 'x' * 20_000_000
    context.log(line)
    print(line, flush=True)
    context.log('the end')
    return 1
