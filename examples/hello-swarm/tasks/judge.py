"""Judges one reading: the dew point, and whether the grass will be icy, wet or dry."""

from math import log


def dew_point(temperature, humidity):
    """The dew point in degrees Celsius (Magnus formula), for a relative humidity from 0 to 1."""
    gamma = log(max(humidity, 0.01)) + 17.62 * temperature / (243.12 + temperature)
    return 243.12 * gamma / (17.62 - gamma)


def run(inputs, args, context):
    reading = inputs['reading']
    temperature, humidity = reading['temperatureC'], reading['humidity']
    if temperature < args['frostBelow']:
        ground = 'icy'
    elif humidity > args['dampAbove']:
        ground = 'wet'
    else:
        ground = 'dry'
    if ground == 'icy':
        context.log('frost at station %s, minute %d' % (reading['station'], reading['minute']), 'warning')
    return {**reading, 'dewPointC': round(dew_point(temperature, humidity), 1), 'ground': ground}
