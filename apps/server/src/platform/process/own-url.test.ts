import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { unencryptedWarning } from './own-url.ts'

const warningOf = (environment: NodeJS.ProcessEnv) => unencryptedWarning(readConfig(environment))

test('unencrypted sign-ins are one warning, which names the reachable ports', () => {
  expect(warningOf({})?.zh).toBe(
    '网页和接口（HTTP，0.0.0.0）、设备接入（MQTT，0.0.0.0）没有加密，密码和设备密钥在网络上以明文传输：请设置 TLS_CERT 和 TLS_KEY，或只监听 127.0.0.1 并由前面的代理加密',
  )
  expect(warningOf({})?.en).toMatch(
    /^not encrypted: pages and API \(HTTP, 0\.0\.0\.0\), devices \(MQTT, 0\.0\.0\.0\)\. /,
  )
  expect(warningOf({ HTTP_HOST: '127.0.0.1' })?.zh).toMatch(/^设备接入（MQTT，0\.0\.0\.0）没有加密/)
  expect(warningOf({ HOST: '127.0.0.1', HTTP_HOST: '10.0.0.5' })?.zh).toMatch(
    /^网页和接口（HTTP，10\.0\.0\.5）没有加密/,
  )
})

test('there is no warning where nobody else can listen', () => {
  for (const HOST of ['127.0.0.1', '127.0.0.9', '::1', 'localhost']) expect(warningOf({ HOST })).toBeNull()
  expect(warningOf({ HTTP_HOST: '127.0.0.1', MQTT_HOST: '::1' })).toBeNull()
  expect(warningOf({ HTTP_HOST: '127.0.0.1', MQTT_URL: 'mqtts://broker.example' })).toBeNull()
  expect(warningOf({ HTTP_HOST: '127.0.0.1', ROLES: 'api,jobs' })).toBeNull()
})
