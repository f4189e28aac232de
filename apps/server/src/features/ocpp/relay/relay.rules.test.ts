import { describe, expect, test } from 'vitest'
import { AddressNotAllowed } from '../../../platform/http/outgoing/index.ts'
import {
  addressOf,
  belongsToSession,
  failureText,
  isOtherServer,
  keptAs,
  passedError,
  readRelayUrl,
  setsOwnSecret,
  whileAway,
  withoutSecret,
} from './relay.rules.ts'

describe('while the platform is away', () => {
  test.each([
    ['BootNotification', {}, 'answer'],
    ['StatusNotification', { connectorId: 1 }, 'answer'],
    ['MeterValues', { connectorId: 1 }, 'answer'],
    ['MeterValues', { connectorId: 1, transactionId: null }, 'answer'],
    ['MeterValues', { connectorId: 1, transactionId: 0 }, 'close'],
    ['Authorize', {}, 'close'],
    ['StartTransaction', {}, 'close'],
    ['StopTransaction', {}, 'close'],
    ['DataTransfer', {}, 'refuse'],
    ['SignCertificate', {}, 'refuse'],
  ] as const)('%s %o: %s', (action, payload, what) => {
    expect(whileAway(action, payload)).toBe(what)
    expect(belongsToSession(action, payload)).toBe(what === 'close')
  })

  test('the last start and the last state of each connector are kept', () => {
    expect(keptAs('BootNotification', {})).toBe('BootNotification')
    expect(keptAs('StatusNotification', { connectorId: 2 })).toBe('StatusNotification 2')
    expect(keptAs('Heartbeat', {})).toBeNull()
  })
})

test('the password by which a station comes here is neither changed nor shown', () => {
  expect(setsOwnSecret('ChangeConfiguration', { key: ' authorizationkey ' })).toBe(true)
  expect(setsOwnSecret('ChangeConfiguration', { key: 'HeartbeatInterval' })).toBe(false)
  expect(setsOwnSecret('GetConfiguration', { key: 'AuthorizationKey' })).toBe(false)
  expect(
    withoutSecret({
      configurationKey: [
        { key: 'AuthorizationKey', readonly: false, value: 'secret' },
        { key: 'HeartbeatInterval', readonly: false, value: '300' },
        null,
      ],
      unknownKey: ['X'],
    }),
  ).toEqual({
    configurationKey: [
      { key: 'AuthorizationKey', readonly: false },
      { key: 'HeartbeatInterval', readonly: false, value: '300' },
      null,
    ],
    unknownKey: ['X'],
  })
  expect(withoutSecret({ configurationKey: 'nonsense' })).toEqual({ configurationKey: 'nonsense' })
})

test('errors of the standard pass as they are, others as one of them', () => {
  expect(passedError('SecurityError')).toBe('SecurityError')
  expect(passedError('Whatever\n')).toBe('GenericError')
})

describe('an address', () => {
  test.each([
    ['wss://old.example.com/ocpp/', 'wss://old.example.com/ocpp'],
    ['ws://old.example.com:9000', 'ws://old.example.com:9000'],
    ['wss://OLD.example.com/a//', 'wss://old.example.com/a'],
  ])('%s is kept as %s', (text, url) => expect(readRelayUrl(text)).toEqual({ url }))
  test.each([
    ['https://old.example.com', '开头'],
    ['old.example.com', '开头'],
    ['wss://', '开头'],
    ['wss://me:secret@old.example.com', '密码'],
    ['wss://old.example.com/?token=1', '参数'],
    ['wss://old.example.com/#x', '参数'],
  ])('%s is refused', (text, words) =>
    expect(readRelayUrl(text)).toEqual({ problem: expect.stringContaining(words) }),
  )
  test('ends with the identity, whatever is in it', () => {
    expect(addressOf('wss://old.example.com/a', 'CP 7/1')).toBe('wss://old.example.com/a/CP%207%2F1')
  })
  test('of another host, port or protocol is another server', () => {
    const before = 'wss://old.example.com/a'
    expect(isOtherServer(before, 'wss://old.example.com/b')).toBe(false)
    for (const after of ['ws://old.example.com/a', 'wss://old.example.com:444/a', 'wss://new.example.com/a'])
      expect(isOtherServer(before, after)).toBe(true)
  })
})

test('why it is away is said in words of ours', () => {
  const text = (message: string, code?: string) => failureText(Object.assign(new Error(message), { code }))
  expect(failureText(new AddressNotAllowed())).toContain('OCPP_RELAY_NETWORKS')
  expect(text('Unexpected server response: 401')).toBe('原平台不接受标识或密码（HTTP 401）')
  expect(text('Unexpected server response: 502')).toBe('原平台应答 HTTP 502')
  expect(text('connect', 'ECONNREFUSED')).toBe('原平台拒绝连接')
  for (const alert of [
    'TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'TLSV1_ALERT_UNKNOWN_CA',
    'SSLV3_ALERT_BAD_CERTIFICATE',
  ])
    expect(text('alert', `ERR_SSL_${alert}`)).toBe('原平台不接受客户端证书')
  expect(text('Server sent no subprotocol')).toBe('原平台不支持 OCPP 1.6-J')
  expect(text('unread', 'TOO_MUCH_UNREAD')).toBe('原平台不读取发给它的报文')
  expect(text('<script>')).toBe('无法连接原平台')
})
