import { describe, expect, it } from 'vitest'
import { growthOf, mostGrowth } from '../../../../test/growth.ts'
import { secretsOf, shownSettings, withoutSecrets } from './masking.rules.ts'

describe('a setting', () => {
  it.each([
    [
      'DATABASE_URL',
      'postgresql://ops:p%40ss@db1:5432,db2/voltkeep?sslmode=require',
      'db1:5432,db2/voltkeep',
    ],
    ['MQTT_URL', 'mqtt://voltkeep:s3cret@broker:1883?share=voltkeep', 'mqtt://broker:1883'],
    ['S3_URL', 'https://files.example.com/voltkeep', 'https://files.example.com/voltkeep'],
    ['HTTP_PORT', '8080', '8080'],
  ])('%s = %s is shown by where it leads', (name, text, place) => {
    expect(shownSettings({ [name]: text })[name]).toContain(place)
    expect(shownSettings({ [name]: text })[name]).not.toMatch(/s3cret|p%40ss|ops/)
  })

  it.each([
    ['SEAL_KEY', 'c2VhbA=='],
    ['ADMIN_PASSWORD', 'hunter22'],
    ['S3_SECRET_ACCESS_KEY', 'abcdef'],
    ['DDI_GATEWAY_TOKEN', 'token-of-a-gateway'],
    // What nobody can take apart is not shown.
    ['DATABASE_URL', 'postgresql://a:b/c@d/e'],
    ['MQTT_URL', 'mqtt://host/a?pass=x@y'],
  ])('%s = %s is masked', (name, text) => {
    expect(shownSettings({ [name]: text })[name]).toMatch(/^(postgresql:\/\/d\/e|\*\*\*)$/)
  })

  it('that is empty or unknown is not there', () => {
    expect(shownSettings({ SEAL_KEY: ' ', PATH: '/bin' })).toEqual({})
  })
})

describe('a text', () => {
  it('is rid of every secret of the settings, however it is written', () => {
    const env = {
      DATABASE_URL: 'postgresql://ops:p%40ss"word@db/voltkeep',
      S3_SECRET_ACCESS_KEY: 'a+b/c=d',
    }
    const text = 'p%40ss"word p@ss\\"word p@ss"word a+b/c=d a%2Bb%2Fc%3Dd'
    expect(withoutSecrets(text, secretsOf(env))).toBe('*** *** *** *** ***')
  })

  it.each([
    ['postgres://someone:hidden@host/x', 'postgres://***@host/x'],
    ['POST https://oapi.example.com/robot/send?access_token=hidden&x=1', 'access_token=***&x=1'],
    ['Authorization: Bearer abcdefgh.hidden', 'Authorization: ***'],
    ['{"password":"hidden","name":"x"}', '{"password":"***","name":"x"}'],
    ['{\\"secret\\":\\"hidden\\"}', '***'],
    ['the key vk_hidden12345 was refused', 'the key *** was refused'],
    ["ALTER ROLE x PASSWORD 'SCRAM-SHA-256$4096:hiddenhiddenhidden'", '***'],
  ])('%s is rid of what looks like a secret', (text, kept) => {
    const cleaned = withoutSecrets(text, [])
    expect(cleaned).not.toContain('hidden')
    expect(cleaned).toContain(kept)
  })

  it('is rid of private keys, also of one whose end is missing, and of nothing behind them', () => {
    const [begin, end] = ['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----']
    const lines = '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\nhidden+/==\n'
    const whole = `${begin}${lines}${end}`
    expect(withoutSecrets(`before ${whole} after`, [])).toBe('before *** after')
    expect(withoutSecrets(JSON.stringify([whole, 'after']), [])).toBe('["***","after"]')
    expect(withoutSecrets(`"${begin}hidden" after`, [])).toBe('"***" after')
    expect(withoutSecrets(`${begin}hidden${whole}after`, [])).toBe('******after')
  })

  it.each([
    ['letters', 'a'],
    ['beginnings of keys', '-----BEGIN PRIVATE KEY-----'],
  ])('of many %s is read as quickly as it is long', (_, part) => {
    const growth = growthOf(
      (text) => withoutSecrets(text, []),
      (length) => part.repeat(length),
      200,
    )
    expect(growth).toBeLessThan(mostGrowth)
  })

  it('without any stays as it is', () => {
    const text = '{"msg":"设备已断开","device":"EC1","monkey":1,"keys":["a"],"turkey":"x"}'
    expect(JSON.parse(withoutSecrets(text, []))).toMatchObject({ msg: '设备已断开', device: 'EC1' })
  })
})
