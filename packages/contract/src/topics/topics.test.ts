import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { downTopics, maxPayloadBytes, parseTopic, type Topic, topicOf, upTopics } from './index.ts'

const topics: readonly Topic[] = [...Object.values(upTopics), ...Object.values(downTopics)]
const schemaOf = (topic: Topic) => topic.payload as z.ZodMiniType

/** The field and the message of every problem of a payload. */
function problems(topic: Topic, payload: unknown): string[] {
  const result = z.safeParse(schemaOf(topic), payload)
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
}
const withField = (topic: Topic, field: string, value: unknown) => ({
  ...(topic.example as object),
  [field]: value,
})

describe.each(topics.map((topic) => [topic.name, topic] as const))('the topic %s', (name, topic) => {
  it('has its name as its key, and its example is accepted', () => {
    expect((topic.direction === 'up' ? upTopics : downTopics)[name as never]).toBe(topic)
    expect(problems(topic, topic.example)).toEqual([])
  })

  it('drops unknown fields, so that either side may be newer', () => {
    const parsed = z.parse(schemaOf(topic), withField(topic, 'brandNew', 1))
    expect(parsed).not.toHaveProperty('brandNew')
  })

  it('requires its header fields', () => {
    const head = topic.direction === 'up' ? ['id', 'time'] : ['id', 'time', 'deadline']
    for (const field of head) {
      const found = problems(topic, withField(topic, field, undefined))
      expect(found.map((problem) => problem.split(' ')[0])).toContain(field)
    }
  })

  it('requires a text of 1 to 64 characters as id and milliseconds as time', () => {
    for (const id of ['', 'x'.repeat(65), 7, null])
      expect(problems(topic, withField(topic, 'id', id))).toHaveLength(1)
    expect(problems(topic, withField(topic, 'id', 'x'.repeat(64)))).toEqual([])
    for (const time of [
      1_767_225_600,
      1_767_225_600_000_000,
      1_767_225_600_000.5,
      '1767225600000',
      Number.NaN,
    ]) {
      expect(problems(topic, withField(topic, 'time', time)).at(0)).toBe('time 应为毫秒时间戳')
    }
  })

  it('accepts or refuses any payload, and never throws', () => {
    fc.assert(
      fc.property(fc.record({ id: fc.anything(), time: fc.anything() }), fc.object(), (head, rest) => {
        expect(Array.isArray(problems(topic, { ...rest, ...head }))).toBe(true)
      }),
    )
  })

  it('parses its own output to the same value', () => {
    const parsed = z.parse(schemaOf(topic), topic.example)
    expect(z.parse(schemaOf(topic), JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
  })
})

describe('the commands', () => {
  it('are each answered on a topic that devices publish to', () => {
    for (const { answeredBy } of Object.values(downTopics)) expect(upTopics).toHaveProperty(answeredBy)
  })

  it.each([
    ['url', 'ftp://example.com/file', 'url 应为 http 或 https 地址'],
    ['url', 'http://a b', 'url 应为 http 或 https 地址'],
    ['url', `http://${'x'.repeat(2048)}`, 'url 长度不能超过 2048'],
    ['sizeBytes', 0, 'sizeBytes 应为正整数'],
    ['sizeBytes', 1.5, 'sizeBytes 应为正整数'],
    ['sizeBytes', 2 ** 60, 'sizeBytes 不能超过9007199254740991'],
    ['sha256', 'A'.repeat(64), 'sha256 应为 64 位小写十六进制'],
    ['sha256', 'a'.repeat(63), 'sha256 应为 64 位小写十六进制'],
    ['name', '', 'name 不能为空'],
    ['endTime', downTopics.advertise.example.startTime, 'endTime 应晚于 startTime'],
  ])('advertise refuses %s %s', (field, value, problem) => {
    expect(problems(downTopics.advertise, withField(downTopics.advertise, field, value))).toEqual([problem])
  })
})

describe('an upgrade', () => {
  const { upgrade } = downTopics

  it.each([
    ['addrIds', [], 'addrIds 不能为空'],
    ['addrIds', ['1', '1'], 'addrIds 含有重复的部件'],
    ['addrIds', Array.from({ length: 201 }, (_, index) => `${index}`), 'addrIds 最多 200 项'],
    ['addrIds', ['1', ''], 'addrIds.1 不能为空'],
    ['addrIds', '1', 'addrIds 应为列表'],
    ['targetId', 7, 'targetId 应为文本'],
    ['pcbCode', 'x'.repeat(33), 'pcbCode 长度不能超过 32'],
    ['md5', 'a'.repeat(64), 'md5 应为 32 位小写十六进制'],
    ['url', 'file:///firmware.bin', 'url 应为 http 或 https 地址'],
    ['sizeBytes', 0, 'sizeBytes 应为正整数'],
  ])('is not ordered with %s %s', (field, value, problem) => {
    expect(problems(upgrade, withField(upgrade, field, value))).toEqual([problem])
  })

  it('without a hardware version is for any', () => {
    expect(problems(upgrade, withField(upgrade, 'hwVersion', undefined))).toEqual([])
  })

  it('is reported in one of four states, with an optional percentage', () => {
    const report = upTopics.upgrade
    for (const state of ['downloading', 'installing', 'installed', 'failed']) {
      expect(problems(report, withField(report, 'state', state))).toEqual([])
    }
    expect(problems(report, withField(report, 'state', 'succeeded'))).toEqual([
      'state 应为 downloading、installing、installed、failed 之一',
    ])
    expect(problems(report, withField(report, 'percent', undefined))).toEqual([])
    for (const percent of [-1, 101, 12.5, '40']) {
      expect(problems(report, withField(report, 'percent', percent))).toEqual([
        'percent 应为 0 到 100 的整数',
      ])
    }
  })
})

describe('replies', () => {
  const { reply, advertisement } = upTopics

  it('have an optional reason of 1 to 200 characters', () => {
    expect(problems(reply, withField(reply, 'reason', undefined))).toEqual([])
    expect(problems(reply, withField(reply, 'reason', '满'.repeat(200)))).toEqual([])
    expect(problems(reply, withField(reply, 'reason', ''))).toEqual(['reason 不能为空'])
    expect(problems(reply, withField(reply, 'reason', 'x'.repeat(201)))).toEqual(['reason 长度不能超过 200'])
  })

  it('have one of three outcomes', () => {
    for (const outcome of ['done', 'refused', 'failed']) {
      expect(problems(reply, withField(reply, 'outcome', outcome))).toEqual([])
    }
    for (const outcome of ['ok', 'DONE', null, true]) {
      expect(problems(reply, withField(reply, 'outcome', outcome))).toEqual([
        'outcome 应为 done、refused、failed 之一',
      ])
    }
  })

  it('list every advertisement once, or none at all', () => {
    const shown = { advertisementId: '12', state: 'shown' }
    expect(problems(advertisement, withField(advertisement, 'advertisements', []))).toEqual([])
    expect(problems(advertisement, withField(advertisement, 'advertisements', [shown, shown]))).toEqual([
      'advertisements 含有重复的广告',
    ])
    const many = Array.from({ length: 201 }, (_, index) => ({ ...shown, advertisementId: `${index}` }))
    expect(problems(advertisement, withField(advertisement, 'advertisements', many))).toEqual([
      'advertisements 最多 200 项',
    ])
    const odd = [{ advertisementId: '1', state: 'gone' }]
    expect(problems(advertisement, withField(advertisement, 'advertisements', odd))).toEqual([
      'advertisements.0.state 应为 stored、shown 之一',
    ])
  })
})

describe('a status report', () => {
  const { status } = upTopics
  const of = (...compartments: unknown[]) => problems(status, withField(status, 'compartments', compartments))

  it('needs no compartments: old messages stay valid', () => {
    expect(problems(status, withField(status, 'compartments', undefined))).toEqual([])
    expect(of()).toEqual([])
  })

  it('may say no more of a compartment than its number', () => {
    expect(of({ no: 1 }, { no: 64 })).toEqual([])
    expect(of({ state: 'full' })).toEqual(['compartments.0.no 应为 1 到 64 的整数'])
  })

  it.each([
    ['no', 0, '应为 1 到 64 的整数'],
    ['no', 65, '应为 1 到 64 的整数'],
    ['no', 1.5, '应为 1 到 64 的整数'],
    ['no', '3', '应为 1 到 64 的整数'],
    ['state', 'FULL', '应为 empty、charging、full、idle、fault、disabled 之一'],
    ['isDoorOpen', 1, '应为布尔值'],
    ['isLocked', 'yes', '应为布尔值'],
    ['batteryCode', 7, '应为文本'],
    ['batteryCode', '', '应为 1 到 32 位字母或数字'],
    ['batteryCode', 'B-1', '应为 1 到 32 位字母或数字'],
    ['batteryCode', 'x'.repeat(33), '应为 1 到 32 位字母或数字'],
    ['soc', -0.1, '应为 0 到 100 的数字'],
    ['soc', 100.5, '应为 0 到 100 的数字'],
    ['soc', '64', '应为 0 到 100 的数字'],
    ['soh', 101, '应为 0 到 100 的数字'],
    ['voltage', '52.3', '应为数字'],
    ['current', null, '应为数字'],
    ['temperature', Number.POSITIVE_INFINITY, '应为数字'],
  ])('is refused with a compartment whose %s is %j', (field, value, problem) => {
    expect(of({ no: 1, [field]: value })).toEqual([`compartments.0.${field} ${problem}`])
  })

  it('takes values that no sensor should show: to judge them is the catalogue’s', () => {
    expect(of({ no: 1, temperature: -3276.8, current: -40, voltage: 0 })).toEqual([])
  })

  it('has each compartment once, 64 at most, as objects in a list', () => {
    expect(of({ no: 1 }, { no: 1 })).toEqual(['compartments 含有重复的仓位'])
    const many = Array.from({ length: 65 }, (_, index) => ({ no: (index % 64) + 1 }))
    expect(of(...many)).toContain('compartments 最多 64 项')
    expect(of(3)).toEqual(['compartments.0 应为对象'])
    expect(problems(status, withField(status, 'compartments', {}))).toEqual(['compartments 应为列表'])
    expect(problems(status, withField(status, 'compartments', null))).toEqual(['compartments 应为列表'])
  })

  it('with 64 compartments, all fields and 100 readings fits in a message', () => {
    const compartments = Array.from({ length: 64 }, (_, index) => ({
      ...status.example.compartments?.[0],
      no: index + 1,
      batteryCode: 'X'.repeat(32),
    }))
    const readings = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`读数${index}`, 1234.5]))
    const payload = { ...status.example, status: readings, compartments }
    expect(problems(status, payload)).toEqual([])
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(maxPayloadBytes / 2)
  })
})

describe('a topic', () => {
  const code = fc.stringMatching(/^[A-Za-z0-9]{1,32}$/)
  const direction = fc.constantFrom('up' as const, 'down' as const)

  it('is parsed into the parts that it was built from', () => {
    fc.assert(
      fc.property(code, direction, fc.constantFrom(...topics), (deviceCode, way, { name }) => {
        expect(parseTopic(topicOf(deviceCode, way, name))).toEqual({ deviceCode, direction: way, name })
      }),
    )
  })

  it.each([
    'voltkeep/A/up',
    'voltkeep/A/up/alarm/more',
    'other/A/up/alarm',
    'voltkeep//up/alarm',
    'voltkeep/A/up/',
    'voltkeep/A/sideways/alarm',
    '/voltkeep/A/up/alarm',
    '',
  ])('%j is not a topic of the protocol', (value) => {
    expect(parseTopic(value)).toBeNull()
  })
})
