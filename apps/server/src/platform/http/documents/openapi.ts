// The contract as OpenAPI 3.1, from the constants that the server itself was mounted from. Inputs show what a value
// must be after the lenient part (numbers sent as text, lists comma-joined) has been undone.
import * as contract from '@voltkeep/contract'
import {
  businessStatuses,
  businessStatusNames,
  type Endpoint,
  functionCodesOf,
  isCallForKeys,
  type Method,
  refusals,
  type Schema,
} from '@voltkeep/contract'
import * as z from 'zod/mini'

type Json = Record<string, unknown>

export function openApiOf(endpoints: readonly Endpoint[], { version }: { version: string }): Json {
  const schemas: Record<string, Json> = { Problem: problemSchema, Error: errorSchema }
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const name = nameOf(endpoint)
    const path = `/api${endpoint.path.replace(/:(\w+)/g, '{$1}')}`
    for (const [index, method] of endpoint.methods.entries()) {
      paths[path] ??= {}
      const operationId = index === 0 ? name : `${name}By${capitalized(method.toLowerCase())}`
      paths[path][method.toLowerCase()] = operation(endpoint, method, name, operationId, schemas)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Voltkeep', version, description: introduction },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((tag) => ({ name: tag })),
    paths,
    components: {
      schemas,
      responses: {
        Error: {
          description: '出错：HTTP 状态与 code 相同，会话错误（50008、50012、50014）的 HTTP 状态为 401',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: '登录返回的 token 或 API 密钥；也可以不带 Bearer 前缀',
        },
      },
    },
  }
}

const introduction = [
  '除登录外，请求头须带 `Authorization: Bearer <token>`，token 由 `POST /api/user/login` 的应答给出；`POST /api/user/logout` 使它失效。',
  '其他系统使用 API 密钥：在“系统管理 / API 密钥”创建，以 `Authorization: Bearer vk_…` 发送。密钥的功能和数据权限不超过创建人当时的权限，标有“仅限用户本人”的接口不能用密钥调用。',
  '事件流 `GET /api/feed` 按提交顺序给出告警和设备的变化（CloudEvents 1.0），保留 7 天：每次以上次应答的 `next` 作为 `after` 继续，不会遗漏或重复；`waitSeconds` 可等待新事件。',
  '事件流的类型：`alarm.raised`、`alarm.changed`、`alarm.recovered`、`alarm.acknowledged`、`alarm.closed`；`device.online`、`device.offline`、`device.registered`、`device.changed`（`fields` 为变化的字段）、`device.deleted`、`device.left` 和 `device.arrived`（设备移出或移入数据权限）；`version.changed`（部件首次上报或改变版本）；`upgrade.ended`（部件的升级结果，重试后会再次给出）、`batch.ended`（设备的批量设置结果）、`log.ended`（日志提取的结果）；`upgrade.finished`、`batch.finished`、`advertisement.finished`（任务整体结束，`subject` 为任务编号，`counts` 为数据权限内各状态的数量）；`event.reported`（设备上报的事件）。各类型须具备查看相应列表的功能。设备移到数据权限之外后，它以前的事件也不再给出，只给出 `device.left`；移入后则一并给出。',
  '所有 JSON 应答的形式为 `{code, message, data, total?, refusal?}`，`code` 为 200 表示成功；出错时 `refusal` 为原因的名称。',
  '路径参数、查询参数与请求体合并为一个输入一起校验，字段放在查询串或请求体中均可；空字符串视为未填写。',
  '编号均为字符串；时间为服务器时区的 `YYYY-MM-DD HH:mm:ss`；列表可以是 JSON 数组，也可以用逗号连接。',
  '校验顺序：令牌（401）、功能权限（403）、输入（400、413、415）、是否存在（404）、是否冲突（409）。',
  '其他状态：426（未加密）、408（传输过慢）、416（范围超出文件）、429（过多）、500（服务器错误）、503（数据库、设备接入或文件存储不可用）、504（设备未在 280 秒内上传日志）。',
].join('\n\n')

const problemSchema = {
  type: 'object',
  description: '输入中的一个问题',
  properties: { field: { type: 'string' }, message: { type: 'string' } },
  required: ['field', 'message'],
}

const errorSchema = {
  type: 'object',
  properties: {
    code: { enum: [...new Set(Object.values(refusals).map(([code]) => code))].sort((a, b) => a - b) },
    message: { type: 'string' },
    data: {
      description: 'code 为 400 时列出每个问题，其余为 null',
      oneOf: [{ type: 'array', items: { $ref: '#/components/schemas/Problem' } }, { type: 'null' }],
    },
    refusal: {
      description: '拒绝的名称：同一 code 可能对应多种原因，程序应按名称判断，不应比较 message',
      enum: Object.keys(refusals),
    },
  },
  required: ['code', 'message', 'data', 'refusal'],
}

function operation(
  endpoint: Endpoint,
  method: Method,
  name: string,
  operationId: string,
  schemas: Record<string, Json>,
): Json {
  const input = inputSchema(endpoint.input, name, schemas)
  const properties = (input.properties ?? {}) as Record<string, Json>
  if (endpoint.fileLimitBytes !== undefined) properties.file = { type: 'string', format: 'binary' }
  const required = new Set((input.required ?? []) as string[])
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => String(match[1]))
  const others = Object.keys(properties).filter((field) => !inPath.includes(field))
  const parameters = [
    ...inPath.map((field) => ({
      name: field,
      in: 'path',
      required: true,
      schema: properties[field] ?? { type: 'string' },
    })),
    ...(method === 'POST' ? [] : others).map((field) => ({
      name: field,
      in: 'query',
      required: required.has(field),
      schema: properties[field],
      ...(properties[field]?.type === 'array' ? { style: 'form', explode: false } : {}),
    })),
  ]
  const hasBody = method === 'POST' && others.length > 0
  if (hasBody) {
    schemas[`${capitalized(name)}Input`] = {
      type: 'object',
      properties: Object.fromEntries(others.map((field) => [field, properties[field]])),
      ...withRequired(others.filter((field) => required.has(field))),
    }
  }
  return {
    operationId,
    summary: endpoint.summary,
    tags: [tagOf(endpoint)],
    description: describeAccess(endpoint),
    ...(endpoint.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody
      ? {
          requestBody: {
            required: others.some((field) => required.has(field)),
            content: Object.fromEntries(
              (endpoint.fileLimitBytes === undefined
                ? ['application/json', 'application/x-www-form-urlencoded']
                : ['multipart/form-data']
              ).map((type) => [type, { schema: { $ref: `#/components/schemas/${capitalized(name)}Input` } }]),
            ),
          },
        }
      : {}),
    responses: { 200: success(endpoint, name, schemas), default: { $ref: '#/components/responses/Error' } },
  }
}

function describeAccess(endpoint: Endpoint): string {
  const { access, isWrite } = endpoint
  const codes = functionCodesOf({ access })
    .map((code) => `\`${code}\``)
    .join(' 或 ')
  const who =
    access === 'public'
      ? '无需登录'
      : access === 'signedIn'
        ? '登录用户均可调用'
        : access === 'system'
          ? '仅系统管理员'
          : `需要功能权限 ${codes}`
  return [
    who,
    ...(access === 'public' || isCallForKeys(endpoint) ? [] : ['仅限用户本人']),
    ...(isWrite ? ['记入操作日志'] : []),
  ].join('；')
}

function success({ reply }: Endpoint, name: string, schemas: Record<string, Json>): Json {
  const component = `${capitalized(name)}Data`
  const envelope = (data: Json, isPage = false): Json => ({
    description: '成功',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            code: { const: 200 },
            message: { type: 'string' },
            data,
            ...(isPage ? { total: { type: 'integer', minimum: 0, description: '全部页的行数' } } : {}),
          },
          required: ['code', 'message', 'data', ...(isPage ? ['total'] : [])],
        },
      },
    },
  })
  switch (reply.kind) {
    case 'nothing':
      return envelope({ type: 'null' })
    case 'one':
      return envelope(outputSchema(reply.schema, component, schemas))
    case 'page':
      return envelope({ type: 'array', items: outputSchema(reply.row, component, schemas) }, true)
    case 'file':
      return fileAnswer(reply.contentType)
    case 'oneOrFile': {
      const file = fileAnswer(reply.contentType)
      const value = envelope(outputSchema(reply.schema, component, schemas))
      return { ...file, content: { ...(file.content as Json), ...(value.content as Json) } }
    }
    case 'stream':
      return {
        description: '服务器推送事件（Server-Sent Events），每个事件的 data 为一段 JSON，其形式见 x-event',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
        'x-event': outputSchema(reply.event, component, schemas),
      }
  }
}

const fileAnswer = (contentType: string): Json => ({
  description: '文件，文件名见 content-disposition',
  headers: { 'content-disposition': { schema: { type: 'string' } } },
  content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
})

/** A reference to the schema, which goes into the components along with what it refers to. */
function outputSchema(schema: Schema, component: string, schemas: Record<string, Json>): Json {
  schemas[component] = hoisted(jsonSchemaOf(schema), component, schemas)
  return { $ref: `#/components/schemas/${component}` }
}

function inputSchema(schema: Schema, name: string, schemas: Record<string, Json>): Json {
  return hoisted(jsonSchemaOf(schema), `${capitalized(name)}Input`, schemas)
}

/** What the numbers mean, where the contract itself says so; other names are the dictionary's, and may change. */
const meanings = new Map<unknown, string>([
  [businessStatuses, businessStatuses.map((value) => `${value} ${businessStatusNames[value]}`).join('、')],
])

/** The output side: what stands behind a transform. Unknown keys are dropped, not refused. */
function jsonSchemaOf(schema: Schema): Json {
  return z.toJSONSchema(schema as z.ZodMiniType, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod
      const named = def.type === 'literal' ? meanings.get(def.values) : undefined
      if (named !== undefined) jsonSchema.description = named
      if (def.type !== 'object') return
      delete jsonSchema.additionalProperties
      const needed = Object.entries(def.shape).filter(([, field]) => !mayBeLeftOut(field))
      delete jsonSchema.required
      Object.assign(jsonSchema, withRequired(needed.map(([key]) => key)))
    },
  }) as Json
}

const mayBeLeftOut = (field: z.core.$ZodType) =>
  ['optional', 'default', 'prefault'].includes(field._zod.def.type)

const withRequired = (required: string[]): Json => (required.length > 0 ? { required } : {})

/** A schema's references are to its own root: within a larger document they need a place of their own. */
function hoisted(
  { $schema, $defs = {}, ...root }: Json,
  component: string,
  schemas: Record<string, Json>,
): Json {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        key === '$ref' && typeof one === 'string'
          ? one.replace(/^#(?:\/\$defs\/(\w+))?$/, (_, part?: string) =>
              part ? `#/components/schemas/${component}_${part}` : `#/components/schemas/${component}`,
            )
          : moved(one),
      ]),
    )
  }
  for (const [part, definition] of Object.entries($defs as Json)) {
    schemas[`${component}_${part}`] = moved(definition) as Json
  }
  return moved(root) as Json
}

const names = new Map<unknown, string>(Object.entries(contract).map(([name, value]) => [value, name]))

/** The word that contract, service and web use for the call. */
function nameOf(endpoint: Endpoint): string {
  const name = names.get(endpoint)
  if (!name) throw new Error(`the endpoint ${endpoint.path} is not exported by the contract`)
  return name
}

const tagOf = (endpoint: Endpoint) => endpoint.path.split('/')[1] ?? ''

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
