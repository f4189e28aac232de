import { expect, test } from 'vitest'
import { findCauses, type Happening, networkOf, type OpenCause } from './causes.rules.ts'

const second = 1_000
let episodes = 0

const alarm = (deviceId: number, atS: number, more: Partial<Happening> = {}): Happening => ({
  deviceId,
  operatorId: 1,
  regionId: 1,
  network: null,
  atMs: atS * second,
  episodeId: String(++episodes),
  ...more,
})
const offline = (deviceId: number, atS: number, more: Partial<Happening> = {}): Happening => ({
  ...alarm(deviceId, atS, more),
  episodeId: null,
})
const found = (happenings: readonly Happening[], size = 4, open: OpenCause[] = []) => {
  const { founded, joined } = findCauses(happenings, open, () => size)
  return [
    ...founded.map(({ key, members }) => [key, members.length]),
    ...[...joined].map(([id, members]) => [id, members.length]),
  ]
}

test('half of the devices of a site within two minutes have one cause, fewer or slower ones have none', () => {
  expect(found([alarm(1, 0), alarm(2, 60), offline(3, 120)], 6)).toEqual([['site 1 1', 3]])
  expect(found([alarm(1, 0), alarm(2, 60), alarm(3, 120)], 7)).toEqual([])
  expect(found([alarm(1, 0), alarm(2, 60), alarm(3, 121)], 6)).toEqual([])
  expect(found([alarm(1, 0), alarm(2, 60)], 2)).toEqual([])
})

test('many alarms of few devices are no cause of the site', () => {
  expect(found([0, 1, 2, 3, 4, 5].map((at) => alarm(1 + (at % 2), at)))).toEqual([])
})

test('another operator or another region is another site', () => {
  expect(
    found([alarm(1, 0), alarm(2, 1), alarm(3, 2, { operatorId: 2 }), alarm(4, 3, { regionId: 2 })]),
  ).toEqual([])
})

test('what begins soon after belongs to it, and later there may be a second cause', () => {
  const site = [alarm(1, 0), alarm(2, 1), alarm(3, 2), alarm(4, 121), alarm(1, 240)]
  expect(found(site)).toEqual([['site 1 1', 5]])
  expect(found([...site, alarm(1, 361), alarm(2, 362), alarm(3, 363)])).toEqual([
    ['site 1 1', 5],
    ['site 1 1', 3],
  ])
})

test('what begins soon after the last of a known cause joins it, also where it is one alarm', () => {
  const open: OpenCause[] = [{ id: '7', key: 'site 1 1', beganAtMs: 0, lastAtMs: 100 * second }]
  expect(found([alarm(9, 220)], 100, open)).toEqual([['7', 1]])
  expect(found([alarm(9, 221)], 100, open)).toEqual([])
  expect(found([alarm(9, -121)], 100, open)).toEqual([])
})

test('a network is lost where half of its connections are, in whatever region, and not where devices raise alarms', () => {
  const apart = (deviceId: number) => ({ network: '10.1.2.', regionId: deviceId })
  expect(found([1, 2, 3, 4, 5].map((id) => offline(id, id, apart(id))))).toEqual([['network 10.1.2.', 5]])
  expect(found([1, 2, 3, 4, 5].map((id) => alarm(id, id, apart(id))))).toEqual([])
})

test('a cabinet that goes offline with several alarms is one line, and with one it is none', () => {
  expect(
    found(
      [
        alarm(1, 0),
        alarm(1, 10),
        offline(1, 60, { network: '10.1.2.' }),
        alarm(1, 70, { network: '10.1.2.' }),
      ],
      100,
    ),
  ).toEqual([['cabinet 1', 4]])
  expect(found([alarm(1, 0), offline(1, 60)], 100)).toEqual([])
  expect(found([alarm(1, 0), alarm(1, 1), alarm(1, 2)], 100)).toEqual([])
})

test('each alarm has one cause, the largest', () => {
  const all = [1, 2, 3, 4, 5].flatMap((id) => [
    alarm(id, id),
    alarm(id, id + 1),
    offline(id, id + 2, { network: '10.1.2.' }),
  ])
  const { founded } = findCauses(all, [], () => 5)
  expect(founded.map(({ key, members }) => [key, members.length])).toEqual([
    ['network 10.1.2.', 5],
    ['site 1 1', 10],
  ])
  const members = founded.flatMap((one) => one.members)
  expect(new Set(members).size).toBe(members.length)
})

test('a network is the beginning of an address', () => {
  expect(networkOf('10.1.2.3')).toBe('10.1.2.')
  expect(networkOf('::ffff:10.1.2.3')).toBe('10.1.2.')
  expect(networkOf('2001:db8::1')).toBeNull()
  expect(networkOf(null)).toBeNull()
})
