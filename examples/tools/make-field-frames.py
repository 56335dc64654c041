"""Makes the photographs of examples/stationary-items, its inputs.json and its ground truth. Same seed, same bytes.

    python examples/tools/make-field-frames.py     (needs numpy, Pillow and scikit-image 0.24, for its grass)

The grass is a photograph, tinted green; the balls, the other small things and the tree crowns are drawn.
"""

import json
import pathlib
import shutil

import numpy
import skimage.data
from PIL import Image, ImageDraw, ImageFilter

SEED = 15
PIXELS_PER_METRE = 100
PHOTO = {'width': 3.2, 'height': 2.4}  # metres of ground on a photograph
STEP = {'x': 2.8, 'y': 2.1}  # metres between two photographs, so that neighbours overlap
COLUMNS, ROWS = 8, 6
BALLS, BALL_METRES = 15, 0.067
DRIFT = 4  # pixels by which a photograph is beside the place it claims, at most
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / 'stationary-items'
SUPER = 8  # supersampling of what is drawn

FIELD = {
    'width': round(PHOTO['width'] + (COLUMNS - 1) * STEP['x'], 2),
    'height': round(PHOTO['height'] + (ROWS - 1) * STEP['y'], 2),
}


def pixels(metres):
    return int(round(metres * PIXELS_PER_METRE))


def grass():
    """The whole field: grass laid out in mirrored tiles, tinted, lighter and darker in broad bands as if mown."""
    tile = Image.open(pathlib.Path(skimage.data.__file__).parent / 'grass.png').convert('L')
    tile = numpy.asarray(tile.filter(ImageFilter.GaussianBlur(1.2)), float)
    block = numpy.block([[tile, tile[:, ::-1]], [tile[::-1], tile[::-1, ::-1]]])
    height, width = pixels(FIELD['height']), pixels(FIELD['width'])
    grey = numpy.tile(block, (height // 1024 + 1, width // 1024 + 1))[:height, :width]
    grey = (grey - grey.mean()) * 0.5 + 128
    grey *= 1 + 0.08 * numpy.sign(numpy.sin(numpy.arange(width) / 90))[None, :]
    return numpy.stack([grey * 0.62, grey * 0.86, grey * 0.42], axis=2)


def places(rng, count, margin, apart, others):
    """Random places in the field, in metres, away from its edges, from each other and from other things."""
    chosen = []
    while len(chosen) < count:
        place = (rng.uniform(margin, FIELD['width'] - margin), rng.uniform(margin, FIELD['height'] - margin))
        if all(numpy.hypot(place[0] - x, place[1] - y) > apart + radius for x, y, radius in others):
            others.append((*place, 0.0))
            chosen.append(place)
    return chosen


def seam_places(rng, others):
    """Four places where two or four photographs overlap, to make duplicates certain."""
    chosen = []
    while len(chosen) < 4:
        column, row = int(rng.integers(1, COLUMNS)), int(rng.integers(1, ROWS))
        x = column * STEP['x'] + (PHOTO['width'] - STEP['x']) / 2
        y = row * STEP['y'] + (PHOTO['height'] - STEP['y']) / 2 if len(chosen) % 2 else row * STEP['y'] - 0.5
        if all(numpy.hypot(x - a, y - b) > 1.0 + radius for a, b, radius in others):
            others.append((x, y, 0.0))
            chosen.append((x, y))
    return chosen


def draw(field, place, size, painter):
    """Draws something of `size` metres at a place, smoothed; `painter(draw, side)` paints on a clear square."""
    side = pixels(size * 2)
    big = Image.new('RGBA', (side * SUPER, side * SUPER), (0, 0, 0, 0))
    painter(ImageDraw.Draw(big), side * SUPER)
    small = numpy.asarray(big.resize((side, side), Image.BOX), float)
    left, top = pixels(place[0]) - side // 2, pixels(place[1]) - side // 2
    part = field[top:top + side, left:left + side]
    opacity = small[..., 3:] / 255
    part[:] = part * (1 - opacity) + small[..., :3] * opacity


def ball(colour, seam):
    def paint(canvas, side):
        low, high = side * 0.25, side * 0.75
        canvas.ellipse([low + side * 0.06, low + side * 0.06, high + side * 0.06, high + side * 0.06], (20, 40, 15, 130))
        canvas.ellipse([low, low, high, high], (*(int(part * 0.86) for part in colour), 255))
        canvas.ellipse([low, low, high - side * 0.07, high - side * 0.07], (*colour, 255))
        canvas.arc([low - side * 0.3, low, low + side * 0.12, high], -60, 60, (*seam, 255), int(side * 0.03))
    return paint


def leaf(angle):
    def paint(canvas, side):
        middle, reach = side / 2, side * 0.42
        along = numpy.array([numpy.cos(angle), numpy.sin(angle)])
        across = numpy.array([-along[1], along[0]]) * 0.22
        points = [along, across, -along, -across]
        canvas.polygon([tuple(middle + reach * point) for point in points], (214, 190, 60, 255))
    return paint


def crown(field, rng, tree):
    """A tree from above: a dark, rough disc, and its shadow."""
    radius = pixels(tree['radius'])
    yy, xx = numpy.mgrid[:field.shape[0], :field.shape[1]]
    dx, dy = xx - pixels(tree['x']), yy - pixels(tree['y'])
    rough = radius * (1 + 0.08 * numpy.sin(7 * numpy.arctan2(dy, dx) + rng.uniform(0, 6)))
    far = numpy.hypot(dx, dy)
    shade = numpy.clip((rough - far) / 4 + 0.5, 0, 1)[..., None]
    leaves = field * numpy.array([0.42, 0.45, 0.40])
    field[:] = field * (1 - shade) + leaves * shade


def palette():
    """One fixed palette of 96 colours, so that a photograph stays small: greens of the ground, then the rest."""
    greens = [(int(v * 0.62), int(v * 0.86), int(v * 0.42)) for v in numpy.linspace(18, 235, 60)]
    yellows = [(int(213 * v), int(226 * v), int(52 * v)) for v in numpy.linspace(0.5, 1.1, 12)]
    leaves = [(int(214 * v), int(190 * v), int(60 * v)) for v in numpy.linspace(0.5, 1.1, 8)]
    whites = [(int(238 * v), int(236 * v), int(228 * v)) for v in numpy.linspace(0.5, 1.05, 8)]
    reds = [(int(196 * v), int(58 * v), int(40 * v)) for v in numpy.linspace(0.5, 1.15, 8)]
    colours = [min(255, part) for colour in greens + yellows + leaves + whites + reds for part in colour]
    image = Image.new('P', (1, 1))
    image.putpalette(colours + colours[:3] * (256 - len(colours) // 3))
    return image


def main():
    rng = numpy.random.default_rng(SEED)
    field = grass()
    others, trees = [], []
    while len(trees) < 6:  # between the stops, so that a route must bend around them
        column, row = int(rng.integers(1, COLUMNS)), int(rng.integers(0, ROWS))
        tree = {'x': round(column * STEP['x'] + PHOTO['width'] / 2 - STEP['x'] / 2, 2),
                'y': round(row * STEP['y'] + PHOTO['height'] / 2 + rng.uniform(-0.2, 0.2), 2),
                'radius': round(rng.uniform(0.45, 0.65), 2)}
        if all(numpy.hypot(tree['x'] - x, tree['y'] - y) > 2.5 for x, y, _ in others):
            trees.append(tree)
            others.append((tree['x'], tree['y'], tree['radius']))
    balls = seam_places(rng, others)
    balls += places(rng, BALLS - len(balls), 0.2, 0.9, others)
    white, red, leaves = (places(rng, 6, 0.2, 0.5, others) for _ in range(3))
    for place in balls:
        draw(field, place, BALL_METRES, ball((213, 226, 52), (240, 240, 225)))
    for place in white:
        draw(field, place, 0.073, ball((238, 236, 228), (196, 58, 40)))
    for place in red:
        draw(field, place, 0.12, ball((196, 58, 40), (238, 236, 228)))
    for place in leaves:
        draw(field, place, 0.10, leaf(rng.uniform(0, numpy.pi)))
    for tree in trees:
        crown(field, rng, tree)

    folder = EXAMPLE / 'data' / 'frames'
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    colours = palette()
    width, height = pixels(PHOTO['width']), pixels(PHOTO['height'])
    for row in range(ROWS):
        for column in range(COLUMNS):
            drift = rng.integers(-DRIFT, DRIFT + 1, 2)
            left = int(numpy.clip(pixels(column * STEP['x']) + drift[0], 0, field.shape[1] - width))
            top = int(numpy.clip(pixels(row * STEP['y']) + drift[1], 0, field.shape[0] - height))
            photo = field[top:top + height, left:left + width] * rng.uniform(0.9, 1.08)
            image = Image.fromarray(numpy.clip(photo, 0, 255).round().astype('uint8'))
            image.quantize(palette=colours, dither=Image.Dither.NONE).save(
                folder / f'r{row}-c{column}.png', optimize=True, bits=8)

    inputs = {'inputMap': {**FIELD, 'columns': COLUMNS, 'rows': ROWS, 'step': STEP, 'photo': PHOTO,
                           'home': {'x': 0.25, 'y': 0.25}, 'obstacles': trees}}
    (EXAMPLE / 'inputs.json').write_text(json.dumps(inputs, indent=2) + '\n')
    truth = {'note': 'For people and tests only; no task reads it. Places are in metres.', 'seed': SEED,
             'items': BALLS, 'places': [{'x': round(x, 3), 'y': round(y, 3)} for x, y in balls]}
    (EXAMPLE / 'ground-truth.json').write_text(json.dumps(truth, indent=2) + '\n')
    size = sum(file.stat().st_size for file in folder.glob('*.png'))
    print(f'{ROWS * COLUMNS} photographs, {size / 1e6:.2f} MB')


if __name__ == '__main__':
    main()
