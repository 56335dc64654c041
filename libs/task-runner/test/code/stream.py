def run(inputs, args, context):
    for i in range(5):
        yield {'i': i}
