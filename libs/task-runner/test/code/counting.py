"""Counts on from its state, which it changes once more after the last item."""


def run(inputs, args, context):
    for n in range(context.state.get('next', 0), args['upTo']):
        context.state.set('next', n + 1)
        yield n
    context.state.set('next', 'end')
