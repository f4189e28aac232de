import asyncApi from '@asyncapi/specs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parameterCatalogue } from '../src/parameters.ts'
import { downTopics, maxPayloadBytes, upTopics } from '../src/topics/index.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { protocolDocuments } from './generate.ts'

interface Reference {
  $ref: string
}
interface AsyncApiParts {
  operations: Record<string, { action: string; channel: Reference; reply?: { channel: Reference } }>
}

describe('the documents of the device protocol', () => {
  it('say what the contract says (npm run docs:protocol)', () => {
    for (const { path, present, wanted } of protocolDocuments()) expect(present, path).toBe(wanted)
  })

  it('show examples that their schemas accept', () => {
    for (const { payload, example } of [...Object.values(upTopics), ...Object.values(downTopics)]) {
      expect(payload.safeParse(example).success, JSON.stringify(example)).toBe(true)
    }
  })

  it('say of every parameter that can be set what it means, its values and its unit', () => {
    const page = protocolDocuments()[1]?.wanted ?? ''
    for (const parameter of parameterCatalogue) {
      const [, name, meaning, values, unit] = (
        page.split('\n').find((line) => line.startsWith(`| \`${parameter.id}\` |`)) ?? ''
      )
        .split('|')
        .slice(1)
        .map((cell) => cell.trim())
      expect([name, unit]).toEqual([parameter.name, parameter.kind === 'number' ? parameter.unit : ''])
      expect(meaning).toMatch(/^[A-Z].{10,}/)
      expect(values).toMatch(/\d/)
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

  describe('as AsyncAPI 3', () => {
    // The official schema brings the draft-07 schema itself.
    const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, allErrors: true })
    addFormats.default(ajv)
    const validate = ajv.compile(asyncApi.schemas['3.0.0'])
    const document = asyncApiDocument() as AsyncApiParts

    it('are what the official schema accepts; a planted mistake is not', () => {
      validate(document)
      expect(validate.errors ?? []).toEqual([])
      const [name = ''] = Object.keys(document.operations)
      const planted = {
        ...document,
        operations: { [name]: { ...document.operations[name], action: 'shout' } },
      }
      expect(validate(planted)).toBe(false)
    })

    it('refer to nothing that is not there', () => {
      const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
        ([, path = '']) => path,
      )
      expect(references.length).toBeGreaterThan(20)
      const lost = references.filter(
        (path) =>
          path
            .split('/')
            .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
          undefined,
      )
      expect(lost).toEqual([])
    })

    it('have a send operation with its reply for each command', () => {
      const sent = Object.values(document.operations).filter(({ action }) => action === 'send')
      expect(sent.map(({ channel, reply }) => [channel.$ref, reply?.channel.$ref])).toEqual(
        Object.values(downTopics).map(({ name, answeredBy }) => [
          `#/channels/down-${name}`,
          `#/channels/up-${answeredBy}`,
        ]),
      )
    })
  })

  it('name the limit of a payload in words', () => {
    const [, protocol] = protocolDocuments()
    expect(protocol?.present).toContain(`${maxPayloadBytes.toLocaleString('en')} bytes`)
  })
})
