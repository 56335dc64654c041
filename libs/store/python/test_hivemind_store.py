"""Tests of the client against a running service, whose URL is in SERVICE and whose password in PASSWORD.

KEY is an access key that may read under /python/keys, and write under /python/keys/mine.
"""
import base64
import io
import os
import threading
import unittest
from unittest import mock
from urllib.request import Request, urlopen

from hivemind_store import ConflictError, ForgottenError, NotAllowedError, NotFoundError, Store, StoreError

SERVICE = os.environ['SERVICE']
store = Store(SERVICE, password=os.environ.get('PASSWORD'))


class Objects(unittest.TestCase):
    def setUp(self):
        self.pool = f'/python/{self.id().split(".")[-1]}'
        store.create_pool(self.pool, versions=3)

    def test_are_written_read_and_removed(self):
        key = f'{self.pool}/deep/key with ä & ?'
        first = store.put(key, 'one', type='text/plain', expected_version=0)
        self.assertEqual((first.key, first.version, first.ordinal, first.size), (key, 1, 1, 3))
        second = store.put(key, b'two')
        latest = store.get(key)
        self.assertEqual((latest.bytes, latest.version, latest.type), (b'two', 2, 'application/octet-stream'))
        self.assertEqual(store.get(key, version=1).bytes, b'one')
        self.assertEqual(store.get(key, version=1).type, 'text/plain')
        self.assertEqual(store.get(key, time=second.timestamp - 1).bytes, b'one')
        removed = store.remove(key, expected_version=second.version)
        self.assertTrue(removed.removed)
        with self.assertRaises(NotFoundError):
            store.get(key)
        self.assertEqual([info.version for info in store.history(key)], [1, 2, 3])

    def test_refusals_are_errors_of_their_kind(self):
        key = f'{self.pool}/a'
        for n in range(5):
            store.put(key, str(n))
        with self.assertRaisesRegex(ConflictError, 'version'):
            store.put(key, 'late', expected_version=1)
        with self.assertRaises(ForgottenError):
            store.get(key, version=1)
        with self.assertRaises(NotFoundError):
            store.put('/nowhere/a', 'x')
        with self.assertRaises(StoreError) as refused:
            store.put('no path', 'x')
        self.assertEqual(refused.exception.status, 400)
        with self.assertRaises(ValueError):
            Store('127.0.0.1:4310')

    def test_are_listed_by_page(self):
        writers = [threading.Thread(target=self.write, args=(first,)) for first in range(0, 1_200, 300)]
        for each in writers:
            each.start()
        for each in writers:
            each.join()
        keys = [info.key for info in store.list(self.pool)]
        self.assertEqual(keys, sorted(f'{self.pool}/{n:04}' for n in range(1_200)))
        self.assertEqual(len(list(store.changes(self.pool))), 1_200)
        self.assertEqual([info.version for info in store.changes(self.pool, after=1_198)], [1_199, 1_200])

    def write(self, first):
        for n in range(first, first + 300):
            store.put(f'{self.pool}/{n:04}', 'x')

    def test_of_any_size_are_streamed(self):
        key = f'{self.pool}/large'
        piece = bytes(range(256)) * 4_096
        store.put(key, (piece for _ in range(5)))
        with store.open(key) as file:
            self.assertEqual(file.read(300), piece[:300])
            self.assertEqual(len(file.read()) + 300, 5 * len(piece))
        store.put(key, io.BytesIO(piece))
        self.assertEqual(store.get(key).bytes, piece)

    def test_are_watched(self):
        before = store.put(f'{self.pool}/a', '1')
        with store.watch(self.pool) as now, store.watch(self.pool, after=0) as all:
            after = store.put(f'{self.pool}/b', '2')
            self.assertEqual(next(now), after)
            self.assertEqual([next(all), next(all)], [before, after])
            self.assertEqual(all.position, str(after.version))
            # A connection that is lost: it goes on behind what it has seen.
            all._answer.close()
            last = store.remove(f'{self.pool}/a')
            self.assertEqual(next(all), last)


class Pools(unittest.TestCase):
    def test_are_created_listed_and_removed(self):
        store.create_pool('/python/pools/a', persistence='volatile', versions=2, age_ms=1_000, affinity='line-1')
        [pool] = store.pools('/python/pools')
        self.assertEqual(pool['affinity'], 'line-1')
        self.assertEqual((pool['path'], pool['retention']), ('/python/pools/a', {'versions': 2, 'ageMs': 1_000}))
        with self.assertRaises(ConflictError):
            store.create_pool('/python/pools')
        store.remove_pool('/python/pools/a')
        self.assertEqual(store.pools('/python/pools'), [])


class Topics(unittest.TestCase):
    def test_give_each_message_once_and_in_order(self):
        topic = '/cms/topics/python'
        store.create_topic(topic, versions=3)
        gaps = []
        with store.subscribe('/cms/topics') as subscription:
            offsets = [store.publish(topic, f'message {n}', type='text/plain') for n in range(3)]
            heard = [next(subscription) for _ in offsets]
            self.assertEqual([message.offset for message in heard], offsets)
            self.assertEqual([message.bytes for message in heard], [b'message 0', b'message 1', b'message 2'])
            position = subscription.position
        for n in range(3, 8):
            store.publish(topic, str(n))
        with store.subscribe('/cms/topics', after=position, on_gap=lambda *gap: gaps.append(gap)) as later:
            self.assertEqual([next(later).bytes for _ in range(3)], [b'5', b'6', b'7'])
        self.assertEqual(gaps, [(topic, 3, 6)])


class Keys(unittest.TestCase):
    def setUp(self):
        store.create_pool('/python/keys')
        store.create_pool('/python/others')

    def test_open_their_part_of_the_store(self):
        mine = Store(SERVICE, key=os.environ['KEY'])
        self.assertEqual([pool['path'] for pool in mine.pools()], ['/python/keys'])
        written = mine.put('/python/keys/mine/a', 'one')
        self.assertEqual(mine.get('/python/keys/mine/a').bytes, b'one')
        self.assertEqual([info.key for info in mine.list('/python/keys')], [written.key])
        with mine.watch('/python/keys', after=0) as watch:
            self.assertEqual(next(watch), written)
        with self.assertRaisesRegex(NotAllowedError, "may not write '/python/keys/a': it may read '/python/keys'"):
            mine.put('/python/keys/a', 'two')
        for refused in (
            lambda: mine.get('/python/others/a'),
            lambda: mine.watch('/python'),
            lambda: next(mine.list('/python/others')),
            lambda: mine.remove_pool('/python/keys'),
        ):
            self.assertRaises(NotAllowedError, refused)

    def test_come_from_the_environment_too(self):
        with mock.patch.dict(os.environ, HIVEMIND_STORE_KEY=os.environ['KEY']):
            self.assertEqual(len(Store(SERVICE).pools()), 1)
            self.assertGreater(len(Store(SERVICE, password=os.environ['PASSWORD']).pools()), 1)
        with self.assertRaises(ValueError):
            Store(SERVICE, password='p', key='k')
        with self.assertRaises(StoreError) as refused:
            Store(SERVICE, key='hmk_wrong').pools()
        self.assertEqual(refused.exception.status, 401)

    def test_that_are_removed_end_a_watch(self):
        store.put('/python/keys/gone', 'x')
        with Store(SERVICE, key=os.environ['GONE']).watch('/python/keys/gone', after=0) as watch:
            self.assertEqual(next(watch).key, '/python/keys/gone')
            login = base64.b64encode(f'hivemind:{os.environ["PASSWORD"]}'.encode()).decode()
            address = f'{SERVICE}api/store/access-keys/gone'
            urlopen(Request(address, method='DELETE', headers={'Authorization': f'Basic {login}'})).close()
            with self.assertRaises(StoreError) as ended:
                next(watch)
            self.assertEqual(ended.exception.status, 401)


if __name__ == '__main__':
    unittest.main()
