import { describe, expect, it } from 'vitest'
import { maxPayloadBytes, upTopics } from '../src/topics/index.ts'
import { protocolDocuments } from './generate.ts'

describe('the documents of the device protocol', () => {
  it('say what the contract says (npm run docs:protocol)', () => {
    for (const { path, present, wanted } of protocolDocuments()) expect(present, path).toBe(wanted)
  })

  it('show examples that the server would take', () => {
    for (const { payload, example } of Object.values(upTopics)) {
      expect(payload.safeParse(example).success, JSON.stringify(example)).toBe(true)
    }
  })

  it('say of every field what it is', () => {
    const [asyncApi] = protocolDocuments()
    const { components } = JSON.parse(asyncApi?.wanted ?? '')
    const undescribed = Object.entries(components.messages).flatMap(([topic, message]) => {
      const { properties } = (
        message as { payload: { properties: Record<string, { description?: string }> } }
      ).payload
      return Object.entries(properties).flatMap(([field, { description }]) =>
        description ? [] : [`${topic}.${field}`],
      )
    })
    expect(undescribed).toEqual([])
  })

  it('name the limit of a payload in words', () => {
    const [, protocol] = protocolDocuments()
    expect(protocol?.present).toContain(`${maxPayloadBytes.toLocaleString('en')} bytes`)
  })
})
