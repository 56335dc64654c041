import os


def run(inputs, args, context):
    what = args['do']
    if what == 'throw':
        raise TypeError('no such thing')
    if what == 'exit':
        os._exit(7)
    if what == 'loop':
        while True:
            pass
    if what == 'hog':
        everything = []
        while True:
            everything.append(b'x' * 10_000_000)
    if what == 'map':
        return {'deep': [object()]}
    if what == 'escape':
        return context.path('../../x')
    if what == 'report-and-loop':
        context.log('looping')
        while True:
            pass
