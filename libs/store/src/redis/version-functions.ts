/** Pools, versions and times inside Redis, as `functions.ts` describes them. */
export const VERSION_FUNCTIONS = `
-- Lua prints large numbers with an exponent, unless it is told not to.
local function text(number) return string.format('%d', number) end

-- A pool as its head says, which may be at hand. Those of earlier versions have a hash until they are written.
local function poolOf(p, head)
  head = head or redis.call('GET', p .. ':head')
  if head then
    local version, timestamp, fixed, persistence, single, versions, ageUs, lambdas, watchedFrom, watchedTo =
      string.match(head, '^(%d+)|(%d+)|((%a+)|(%d)|(%d*)|(%d*)|(%d)|(%d+)|(%d+))$')
    return {
      last = version, version = tonumber(version), timestamp = tonumber(timestamp), fixed = fixed, persistence = persistence,
      single = single == '1', versions = tonumber(versions), ageUs = tonumber(ageUs), lambdas = lambdas == '1',
      watchedFrom = tonumber(watchedFrom), watchedTo = tonumber(watchedTo),
    }
  end
  local found = redis.call('HMGET', p .. ':pool', 'persistence', 'version', 'timestamp', 'versions', 'ageUs', 'lambdas', 'single')
  return found[1] and {
    last = found[2] or '0', version = tonumber(found[2] or 0), timestamp = tonumber(found[3] or 0), persistence = found[1],
    single = found[7] == '1', versions = tonumber(found[4] or nil), ageUs = tonumber(found[5] or nil), lambdas = found[6] ~= 'none',
    watchedFrom = 0, watchedTo = tonumber(found[2] or 0) + EVENTS, isHash = true,
  }
end

-- The head of a pool. What writes do not change is put together again where it is not in 'fixed'.
local function headOf(pool)
  pool.fixed = pool.fixed or pool.persistence .. (pool.single and '|1|' or '|0|') .. (pool.versions and text(pool.versions) or '') ..
    '|' .. (pool.ageUs and text(pool.ageUs) or '') .. (pool.lambdas and '|1|' or '|0|') ..
    text(pool.watchedFrom) .. '|' .. text(pool.watchedTo)
  return pool.last .. '|' .. text(pool.timestamp) .. '|' .. pool.fixed
end

-- Writes the head of a pool alone.
local function keepHead(p, pool)
  pool.fixed = nil
  redis.call('SET', p .. ':head', headOf(pool))
  if pool.isHash then redis.call('DEL', p .. ':pool') end
end

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function parse(record)
  local version, timestamp, ordinal, removed, blob, chunks =
    string.match(record, '^(%d+)|(%d+)|%d+|%d+|(%d+)|(%d)|%d+|([^|]*)|(%d+)|')
  return {
    version = version, timestamp = tonumber(timestamp), ordinal = tonumber(ordinal),
    removed = removed == '1', blob = blob, chunks = tonumber(chunks),
  }
end

local function infoOf(record) return (string.match(record, '^[^\\n]*')) end
local function versionIn(text) return (string.match(text, '^%d+')) end

-- The record of a key in a single pool.
local function only(p, key) return redis.call('GET', p .. ':r:' .. key) or nil end

-- The newest record of a key.
local function last(p, pool, key)
  if pool.single then return only(p, key) end
  return redis.call('ZRANGE', p .. ':v:' .. key, -1, -1)[1]
end

-- The newest record of a key that is not newer than a version.
local function newest(p, pool, key, version)
  if not pool.single then return redis.call('ZREVRANGEBYSCORE', p .. ':v:' .. key, version, 0, 'LIMIT', 0, 1)[1] end
  local record = only(p, key)
  return record and tonumber(versionIn(record)) <= tonumber(version) and record or nil
end

-- So many records of a key that are newer than a version, the oldest first.
local function following(p, pool, key, version, count)
  if not pool.single then
    return redis.call('ZRANGEBYSCORE', p .. ':v:' .. key, '(' .. text(version), '+inf', 'LIMIT', 0, count)
  end
  local record = only(p, key)
  return { record and tonumber(versionIn(record)) > version and record or nil }
end

-- Key and record of an entry of the log.
local function logged(p, pool, entry)
  if pool.single then return entry, only(p, entry) end
  local version, key = string.match(entry, '^(%d+) (.*)$')
  return key, newest(p, pool, key, version)
end

-- The version of an entry of the log.
local function loggedVersion(p, pool, entry)
  return tonumber(versionIn(pool.single and only(p, entry) or entry))
end

-- The version of the last write up to a time that is kept; nothing when there is none.
local function keptAt(p, pool, time)
  local entry = redis.call('ZREVRANGEBYSCORE', p .. ':log', time, 0, 'LIMIT', 0, 1)[1]
  return entry and loggedVersion(p, pool, entry)
end

`
