import { describe, expect, test } from 'vitest'
import { readConfig, settings } from './config.ts'
import { StartupError } from './startup-error.ts'

function refusalOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    return (error as Error).message.split('\n')
  }
  return []
}

describe('settings', () => {
  test('all have a working default', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      httpPort: 8080,
      mqttPort: 1883,
      zone: 'Asia/Shanghai',
      databaseUrl: undefined,
      historyRetentionDays: 365,
    })
    expect([...config.roles]).toEqual(['api', 'ingest', 'jobs'])
    expect(config.dataDir).toBe(`${process.cwd()}/data`)
  })

  test('count as absent when empty', () => {
    expect(readConfig({ HTTP_PORT: '', DATABASE_URL: ' ' })).toEqual(readConfig({}))
  })

  test('are refused one per line, with the variable, its value and its purpose', () => {
    const lines = refusalOf({
      HTTP_PORT: '80a',
      MQTT_PORT: '70000',
      ROLES: 'api,web',
      TZ: 'Mars/Base',
      LOG_LEVEL: 'loud',
    })
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe('环境变量 HTTP_PORT 的值 "80a" 无效：应为端口号（网页和接口的端口）')
    for (const name of ['MQTT_PORT', 'ROLES', 'TZ', 'LOG_LEVEL']) {
      expect(lines.filter((line) => line.startsWith(`环境变量 ${name} `))).toHaveLength(1)
    }
  })

  test.each(['+08:00', '-08', 'asia/shanghai', 'ASIA/SHANGHAI', 'CST', 'Mars/Base'])(
    'refuse the time zone %s, on which process and database would differ',
    (name) => {
      expect(refusalOf({ TZ: name })[0]).toContain('应为时区名')
    },
  )

  test.each(['UTC', 'Etc/UTC', 'Etc/GMT-8', 'Asia/Shanghai', 'Asia/Chongqing', 'America/Port-au-Prince'])(
    'accept the time zone %s',
    (name) => {
      expect(readConfig({ TZ: name }).zone).toBe(name)
    },
  )

  test('that may contain a secret are not echoed', () => {
    const [line] = refusalOf({ DATABASE_URL: 'mysql://me:hidden@db/shop' })
    expect(line).toContain('DATABASE_URL')
    expect(line).not.toContain('hidden')
    expect(refusalOf({ ADMIN_PASSWORD: 'tiny' })[0]).not.toContain('tiny')
  })

  test('of the object store are required together', () => {
    expect(refusalOf({ S3_URL: 'https://store.example/bucket' })[0]).toContain('S3_ACCESS_KEY_ID')
  })

  test('of the tables’ owner are required together with an external database', () => {
    const url = 'postgresql://voltkeep@db.example/voltkeep'
    expect(refusalOf({ DATABASE_OWNER_URL: url })).toEqual([
      '设置了 DATABASE_OWNER_URL 时，必须设置 DATABASE_URL',
    ])
    expect(readConfig({ DATABASE_URL: url, DATABASE_OWNER_URL: url }).databaseOwnerUrl).toBe(url)
  })

  test('of the sender of files must match where the files are', () => {
    const bucket = { S3_URL: 'https://store.example/b', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
    expect(refusalOf({ FILE_DELIVERY: 'bucket' })).toEqual(['FILE_DELIVERY 为 bucket 时，必须设置 S3_URL'])
    expect(refusalOf({ ...bucket, FILE_DELIVERY: 'nginx' })[0]).toContain('文件须在本机磁盘')
    expect(refusalOf({ S3_URL: 'https://localhost' })[0]).toContain('应为 https://主机/桶名')
    expect(readConfig({ ...bucket, FILE_DELIVERY: 'bucket' }).fileDelivery).toBe('bucket')
    expect(readConfig({ FILE_DELIVERY: 'nginx' }).fileDelivery).toBe('nginx')
  })

  test('have unique names and a Chinese description', () => {
    const all = Object.values(settings)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    for (const { about } of all) expect(about).toMatch(/\p{Script=Han}/u)
  })
})
