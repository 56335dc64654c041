"""Sums its inputs up in its state, and keeps the last as bytes."""


def run(inputs, args, context):
    x = inputs['x'] if isinstance(inputs['x'], int) else 0
    if args.get('strange'):
        context.state.set('odd', object())
    whole = context.state.get()
    last = context.state.get('last')
    total = context.state.get('sum', 0) + x
    context.state.set('sum', total)
    context.state.set('last', bytes([x]) * args.get('fill', 1))
    return {'sum': total, 'whole': whole, 'last': last}
