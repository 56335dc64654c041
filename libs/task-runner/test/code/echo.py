"""Gives its inputs back, or the one that `args['only']` names."""


def run(inputs, args, context):
    return inputs[args['only']] if 'only' in args else inputs
