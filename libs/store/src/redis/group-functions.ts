/**
 * What the store does inside Redis for lambdas. The members of a group share its objects, which wait in streams with a consumer
 * group: an object is given to one member, and to another when that one was silent for longer than a lease.
 *
 *     P:groups  groups: on, order, limit, policy, lease in ms, named, prefix
 *     P:g:G     a group: done, failed, dropped, seen; of queue Q added:Q and given:Q, the last number of each
 *     P:m:G     members of a group by name: when each joined, and when it gave its last sign of life, in microseconds
 *     P:q:G:Q   queue Q: objects that wait or run, numbered from 1. Queue \@M has those for the member of the name M alone
 *     P:wake    stream whose last entry says that an object was queued
 *
 * A group ordered by key has several queues, and of each at most one object runs at a time. So has a group that spreads objects over
 * its members: of the members that are alive, each queue has one that takes from it.
 */
export const GROUP_FUNCTIONS = `
local QUEUES = 32
local DESERTED_US = 24 * 3600 * 1000000

local function groupOf(spec)
  local on, order, limit, policy, lease, named, rest =
    string.match(spec, '^(%w+)|(%w+)|(%d+)|([%w-]+)|(%d+)|(%d)|(.*)$')
  return {
    on = on, order = order, limit = tonumber(limit), policy = policy, lease = tonumber(lease), named = named == '1',
    dispatch = string.match(rest, '^[%w-]*'), prefix = string.match(rest, '/.*$'),
  }
end

local SPREAD = { key = true, home = true, random = true, ['round-robin'] = true }

local function queuesOf(group) return (group.order == 'key' or SPREAD[group.dispatch]) and QUEUES or 1 end
local function streamOf(p, name, queue) return p .. ':q:' .. name .. ':' .. queue end

local function under(path, prefix)
  return path == prefix or string.sub(path, 1, #prefix + 1) == prefix .. '/'
end

-- The queues that have ever had an object.
local function usedQueues(p, name)
  local queues = {}
  for _, field in ipairs(redis.call('HKEYS', p .. ':g:' .. name)) do
    local queue = string.match(field, '^added:(.+)$')
    if queue then table.insert(queues, queue) end
  end
  return queues
end

local function dropGroup(p, name)
  for _, queue in ipairs(usedQueues(p, name)) do redis.call('DEL', streamOf(p, name, queue)) end
  redis.call('DEL', p .. ':g:' .. name, p .. ':m:' .. name)
  redis.call('HDEL', p .. ':groups', name)
end

-- Whether all members of a group have been silent for so long that it has none.
local function deserted(p, name, group)
  local silent = now() - tonumber(redis.call('HGET', p .. ':g:' .. name, 'seen') or 0)
  return silent > (group.named and DESERTED_US or 3000 * group.lease)
end

-- The groups by name. Those that are deserted are dropped.
local function groupsOf(p)
  local groups = {}
  local rows = redis.call('HGETALL', p .. ':groups')
  for at = 1, #rows, 2 do
    local name, group = rows[at], groupOf(rows[at + 1])
    if deserted(p, name, group) then dropGroup(p, name) else groups[name] = group end
  end
  return groups
end

-- Names of the members that are alive, in the order in which they joined.
local function membersOf(p, name, group)
  local members, rows, since = {}, redis.call('HGETALL', p .. ':m:' .. name), now() - 1000 * group.lease
  for at = 1, #rows, 2 do
    local joined, seen = string.match(rows[at + 1], '^(%d+)|(%d+)$')
    if tonumber(seen) >= since then table.insert(members, { name = rows[at], joined = tonumber(joined) }) end
  end
  table.sort(members, function(a, b) return a.joined < b.joined or a.joined == b.joined and a.name < b.name end)
  for at, member in ipairs(members) do members[at] = member.name end
  return members
end

local function sign(p, name, member)
  local joined = string.match(redis.call('HGET', p .. ':m:' .. name, member) or '', '^%d+')
  redis.call('HSET', p .. ':m:' .. name, member, (joined or text(now())) .. '|' .. text(now()))
end

-- Whether a member takes from a queue.
local function owns(group, members, queue, member)
  local dispatch = group.dispatch
  if dispatch == '' then return true end
  if dispatch == 'first' then return members[1] == member end
  if dispatch == 'last' then return members[#members] == member end
  if dispatch ~= 'home' then return members[queue % math.max(#members, 1) + 1] == member end
  local home, highest = nil, ''
  for _, each in ipairs(members) do
    local weight = redis.sha1hex(queue .. ':' .. each)
    if weight > highest then home, highest = each, weight end
  end
  return home == member
end

-- The queue that an object goes to, of a group that has several.
local function queueOf(p, name, group, key)
  local function number(seed) return tonumber(string.sub(redis.sha1hex(seed), 1, 6), 16) end
  if group.order == 'key' or group.dispatch == 'key' or group.dispatch == 'home' then return number(key) % QUEUES end
  local turn = redis.call('HINCRBY', p .. ':g:' .. name, 'turn', 1) - 1
  local members = math.max(#membersOf(p, name, group), 1)
  -- As many queues for each member.
  local queues = members > QUEUES and QUEUES or QUEUES - QUEUES % members
  return (group.dispatch == 'random' and number(turn .. ':' .. text(now())) or turn) % queues
end

local function counter(p, name, field) return tonumber(redis.call('HGET', p .. ':g:' .. name, field) or 0) end

-- Queues an object for the groups that it matches, for a chosen member where one is named. Adds to the tickets of those whose
-- writer has to wait for room.
local function enqueue(p, groups, on, key, type, id, info, bytes, tickets, chosen)
  for name, group in pairs(groups) do
    if under(key, group.prefix) and (group.on == 'both' or group.on == on) then
      local queue = 0
      if chosen then queue = '@' .. chosen
      elseif queuesOf(group) > 1 then queue = queueOf(p, name, group, key) end
      local g, stream = p .. ':g:' .. name, streamOf(p, name, queue)
      if redis.call('EXISTS', stream) == 0 then redis.call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM') end
      local added, given = counter(p, name, 'added:' .. queue), counter(p, name, 'given:' .. queue)
      local full = added - given >= group.limit
      if full and group.policy ~= 'wait' then redis.call('HINCRBY', g, 'dropped', 1) end
      if full and group.policy == 'drop-oldest' then
        local oldest = text(given + 1)
        redis.call('XDEL', stream, oldest .. '-0')
        redis.call('XGROUP', 'SETID', stream, 'g', oldest .. '-0')
        redis.call('HSET', g, 'given:' .. queue, oldest)
      end
      if not full or group.policy ~= 'drop-newest' then
        local number = text(added + 1)
        redis.call('HSET', g, 'added:' .. queue, number)
        redis.call('XADD', stream, number .. '-0', 'k', key, 't', type, 'd', id, 'i', info, 'b', bytes or '', 'h', bytes and '1' or '0')
        redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
        if full and group.policy == 'wait' then table.insert(tickets, table.concat({ name, queue, number }, '|')) end
      end
    end
  end
end

-- Of these groups, those that have a live member of a name.
local function withMember(p, groups, member)
  local found = {}
  for name, group in pairs(groups) do
    for _, each in ipairs(membersOf(p, name, group)) do
      if each == member then found[name] = group end
    end
  end
  return found
end

-- ARGV: key, type, id, bytes, member that is to handle it or ''. Answers with tickets.
local function trigger(keys, args)
  local p, chosen = keys[1], args[5] ~= '' and args[5] or nil
  if not poolOf(p) then return { 'unknown' } end
  local result, groups = { 'ok' }, groupsOf(p)
  if chosen then
    for name, group in pairs(groups) do
      if not under(args[1], group.prefix) or group.on == 'put' then groups[name] = nil end
    end
    groups = withMember(p, groups, chosen)
    if next(groups) == nil then return { 'absent' } end
  end
  enqueue(p, groups, 'trigger', args[1], args[2], args[3], '', args[4], result, chosen)
  return result
end

-- ARGV: tickets. Answers with those whose objects still have no room.
local function room(keys, args)
  local p, result = keys[1], { 'ok' }
  for _, ticket in ipairs(args) do
    local name, queue, number = string.match(ticket, '^([^|]+)|([^|]+)|(%d+)$')
    local spec = redis.call('HGET', p .. ':groups', name)
    local group = spec and groupOf(spec)
    local full = group and tonumber(number) - counter(p, name, 'given:' .. queue) > group.limit
    if full and not deserted(p, name, group) then table.insert(result, ticket) end
  end
  return result
end

-- ARGV: name, spec, name of the member. Answers with the spec of a group that is there already and differs.
local function join(keys, args)
  local p, name = keys[1], args[1]
  local pool = poolOf(p)
  if not pool then return { 'unknown' } end
  if not groupsOf(p)[name] then redis.call('HSET', p .. ':groups', name, args[2]) end
  if not pool.lambdas then
    pool.lambdas = true
    keepHead(p, pool)
  end
  local spec = redis.call('HGET', p .. ':groups', name)
  if spec ~= args[2] then return { 'differs', spec } end
  redis.call('HSET', p .. ':g:' .. name, 'seen', text(now()))
  sign(p, name, args[3])
  redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
  return { 'ok' }
end

local function delivered(result, stream, queue, entries, attempt)
  for _, entry in ipairs(entries) do
    local fields = {}
    for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
    for _, value in ipairs({ tostring(queue), entry[1], attempt, fields.k, fields.t, fields.d, fields.i, fields.h, fields.b }) do
      table.insert(result, value)
    end
  end
end

-- ARGV: name, member, largest number of objects, first queue to look at, name of the member. Answers with nine texts for each object.
local function take(keys, args)
  local p, name, member, missing = keys[1], args[1], args[2], tonumber(args[3])
  local spec = redis.call('HGET', p .. ':groups', name)
  if not spec then return { 'gone' } end
  local group, result = groupOf(spec), { 'ok' }
  local queues = queuesOf(group)
  local members = group.dispatch ~= '' and membersOf(p, name, group)
  for turn = -1, queues - 1 do
    local queue = turn < 0 and '@' .. args[5] or (args[4] + turn) % queues
    local stream = streamOf(p, name, queue)
    local some = missing > 0 and redis.call('XLEN', stream) > 0
    if some and (turn < 0 or owns(group, members, queue, args[5])) then
      for _, late in ipairs(redis.call('XPENDING', stream, 'g', 'IDLE', group.lease, '-', '+', missing)) do
        local claimed = redis.call('XCLAIM', stream, 'g', member, group.lease, late[1])
        delivered(result, stream, queue, claimed, text(late[4] + 1))
        missing = missing - #claimed
      end
      local busy = group.order == 'key' and redis.call('XPENDING', stream, 'g')[1] > 0
      if missing > 0 and not busy then
        local count = group.order == 'key' and 1 or missing
        local answer = redis.call('XREADGROUP', 'GROUP', 'g', member, 'COUNT', count, 'STREAMS', stream, '>')
        local entries = answer and answer[1] and answer[1][2] or {}
        delivered(result, stream, queue, entries, '1')
        missing = missing - #entries
        if #entries > 0 then
          redis.call('HSET', p .. ':g:' .. name, 'given:' .. queue, (string.match(entries[#entries][1], '^%d+')))
        end
      end
    end
  end
  return result
end

local function holdsEntry(stream, member, id)
  if redis.call('EXISTS', stream) == 0 then return false end
  return #redis.call('XPENDING', stream, 'g', id, id, 1, member) > 0
end

-- ARGV: name, member, queue, id, 'done' or 'failed'. What another member has taken over is left to it.
local function settle(keys, args)
  local p, name, member, queue, id = keys[1], args[1], args[2], args[3], args[4]
  local stream = streamOf(p, name, queue)
  if not holdsEntry(stream, member, id) then return { 'ok' } end
  redis.call('XACK', stream, 'g', id)
  redis.call('XDEL', stream, id)
  redis.call('HINCRBY', p .. ':g:' .. name, args[5], 1)
  redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
  return { 'ok' }
end

-- ARGV: name, member, name of the member, then queue and id of each object that the member runs: it goes on holding them.
local function beat(keys, args)
  local p, name, member = keys[1], args[1], args[2]
  if redis.call('HEXISTS', p .. ':groups', name) == 0 then return { 'gone' } end
  redis.call('HSET', p .. ':g:' .. name, 'seen', text(now()))
  sign(p, name, args[3])
  for at = 4, #args, 2 do
    local stream = streamOf(p, name, args[at])
    if holdsEntry(stream, member, args[at + 1]) then
      redis.call('XCLAIM', stream, 'g', member, '0', args[at + 1], 'JUSTID')
    end
  end
  return { 'ok' }
end

-- ARGV: name. Answers with the numbers of objects that are queued, running, done, failed, dropped.
local function statistics(keys, args)
  local p, name = keys[1], args[1]
  if redis.call('EXISTS', p .. ':g:' .. name) == 0 then return { 'gone' } end
  local queued, running = 0, 0
  for _, queue in ipairs(usedQueues(p, name)) do
    local stream = streamOf(p, name, queue)
    queued = queued + counter(p, name, 'added:' .. queue) - counter(p, name, 'given:' .. queue)
    if redis.call('EXISTS', stream) == 1 then running = running + redis.call('XPENDING', stream, 'g')[1] end
  end
  local result = { 'ok', text(queued), text(running) }
  for _, field in ipairs({ 'done', 'failed', 'dropped' }) do table.insert(result, text(counter(p, name, field))) end
  return result
end

-- ARGV: name of a group whose only member closes. Drops what waits; what runs may still be settled.
local function shut(keys, args)
  local p, name = keys[1], args[1]
  local g = p .. ':g:' .. name
  redis.call('HDEL', p .. ':groups', name)
  for _, queue in ipairs(usedQueues(p, name)) do
    local added = counter(p, name, 'added:' .. queue)
    if added > 0 then
      redis.call('HINCRBY', g, 'dropped', text(added - counter(p, name, 'given:' .. queue)))
      redis.call('HSET', g, 'given:' .. queue, text(added))
      redis.call('PEXPIRE', streamOf(p, name, queue), 3600000)
    end
  end
  redis.call('PEXPIRE', g, 3600000)
  redis.call('DEL', p .. ':m:' .. name)
  return { 'ok' }
end

-- ARGV: name, member, name of the member. A group that was shut ends. Answers with its statistics.
local function leave(keys, args)
  local p, name, member = keys[1], args[1], args[2]
  local result = statistics(keys, args)
  if redis.call('HEXISTS', p .. ':groups', name) == 0 then
    dropGroup(p, name)
    return result
  end
  redis.call('HDEL', p .. ':m:' .. name, args[3])
  redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
  for _, queue in ipairs(usedQueues(p, name)) do
    local stream = streamOf(p, name, queue)
    if redis.call('EXISTS', stream) == 1 and #redis.call('XPENDING', stream, 'g', '-', '+', 1, member) == 0 then
      redis.call('XGROUP', 'DELCONSUMER', stream, 'g', member)
    end
  end
  return result
end

redis.register_function('hivemind_trigger', trigger)
redis.register_function('hivemind_join', join)
redis.register_function('hivemind_take', take)
redis.register_function('hivemind_settle', settle)
redis.register_function('hivemind_beat', beat)
redis.register_function('hivemind_shut', shut)
redis.register_function('hivemind_leave', leave)
redis.register_function{ function_name = 'hivemind_room', callback = room, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_statistics', callback = statistics, flags = { 'no-writes' } }
`
