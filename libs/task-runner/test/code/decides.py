def run(inputs, args, context):
    raw = bytearray([1, 2])
    context.report({'turn': 'left'})
    context.report(raw)
    raw[0] = 9
