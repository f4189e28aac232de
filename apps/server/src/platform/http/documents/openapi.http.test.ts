import { Validator } from '@seriousme/openapi-schema-validator'
import { refusals } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { endpoints } from '../../../../test/endpoints.ts'

interface Operation {
  operationId: string
  security?: unknown[]
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { content: Record<string, { schema: { $ref: string } }> }
}
interface Document {
  openapi: string
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { required?: string[]; properties: Record<string, object> }> }
}

const app = await appOfTests()
const document: Document = await (await fetch(`${app.url}/api/openapi.json`)).json()

const operationsOf = (path: string) => document.paths[`/api${path.replace(/:(\w+)/g, '{$1}')}`]

describe('the OpenAPI document', () => {
  test('is compressed once, and not sent again to who has it', async () => {
    const ask = (more = {}) =>
      fetch(`${app.url}/api/openapi.json`, { headers: { 'accept-encoding': 'gzip', ...more } })
    const first = await ask()
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(await first.json()).toEqual(document)
    const again = await ask({ 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('is valid by the 3.1 schema', async () => {
    expect(document.openapi).toBe('3.1.0')
    expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true })
  })

  test('lists 504, of a device that is late, among the codes of errors and in its introduction', () => {
    const told = document as unknown as {
      info: { description: string }
      components: { schemas: Record<string, { properties?: { code?: { enum?: number[] } } }> }
    }
    expect(told.info.description).toContain('504（设备未在 280 秒内上传日志）')
    const lists = Object.values(told.components.schemas).flatMap(
      ({ properties }) => properties?.code?.enum ?? [],
    )
    expect(lists).toContain(504)
  })

  test('has no unresolved references', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)
    for (const [, reference = ''] of references) {
      expect(reference).toMatch(/^#\/components\//)
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document)
      expect(found, reference).toBeDefined()
    }
  })

  test.each(endpoints)('lists $name with all its verbs', ({ name, endpoint }) => {
    const operations = operationsOf(endpoint.path) ?? {}
    const verbs = endpoint.methods.map((method) => method.toLowerCase())
    expect(Object.keys(operations)).toEqual(expect.arrayContaining(verbs))
    expect(operations[verbs[0] ?? '']?.operationId).toBe(name)
  })

  // proves: rule business status
  test('explains how to send the token, and the numbers of the business status', () => {
    expect(document.info.description).toContain('Authorization: Bearer <token>')
    const meaning = '1 已激活、2 未交付、3 调试中'
    expect(document.components.schemas.InsertDeviceInput?.properties.businessStatus).toMatchObject({
      description: meaning,
    })
    const statuses = operationsOf('/equip/list')?.get?.parameters?.find(({ name }) => name === 'statuses')
    expect(statuses?.schema).toMatchObject({ items: { description: meaning } })
  })

  test('gives every operation a unique id', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('marks required fields: neither optional ones nor those with a default', () => {
    const { schema } = operationsOf('/user/login')?.post?.requestBody?.content['application/json'] ?? {}
    expect(schema).toEqual({ $ref: '#/components/schemas/LoginInput' })
    expect(document.components.schemas.LoginInput?.required).toEqual(['loginname', 'password'])
    const parameters = operationsOf('/equip/list')?.get?.parameters ?? []
    expect(parameters.find(({ name }) => name === 'pageSize')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 10 },
    })
  })

  test('lists the names of all refusals, which every error contains', () => {
    expect(document.components.schemas.Error?.required).toContain('refusal')
    expect(document.components.schemas.Error?.properties.refusal).toMatchObject({
      enum: Object.keys(refusals),
    })
  })

  test('marks the calls that need no token', () => {
    expect(operationsOf('/user/login')?.post?.security).toEqual([])
    expect(operationsOf('/user/info')?.get?.security).toBeUndefined()
  })
})

describe('the API page', () => {
  test('loads from this origin only, under the policy of all pages', async () => {
    const page = await app.request('/api/docs')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
    const addresses = [...page.text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(
      (match) => match[1] ?? '',
    )
    expect(addresses).not.toHaveLength(0)
    for (const address of addresses) {
      expect(address).toMatch(/^\/api\//)
      expect((await app.request(address)).status).toBe(200)
    }
    expect(page.text).not.toMatch(/<script>|<style|style="|onclick/)
  })
})
