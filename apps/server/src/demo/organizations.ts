// Organizations, operators and users of the demonstration.
import { sql } from 'kysely'
import { hashPassword } from '../domain/access/accounts/passwords.ts'
import type { Db, Trx } from '../platform/database/database.ts'

interface DemoOrganization {
  code: string
  name: string
  parentCode: string
}

interface DemoOperator {
  code: string
  name: string
  organizationCode: string
  /** The city in which its devices stand. */
  cityCode: string
  /** Of a user who sees this operator's devices alone. */
  loginName: string
  userName: string
}

const organizations: readonly DemoOrganization[] = [
  { code: 'DEMO010000', name: '星驰换电科技', parentCode: 'PLATFORM' },
  { code: 'DEMO010100', name: '星驰华南分公司', parentCode: 'DEMO010000' },
  { code: 'DEMO010200', name: '星驰华东分公司', parentCode: 'DEMO010000' },
  { code: 'DEMO020000', name: '绿源智充', parentCode: 'PLATFORM' },
  { code: 'DEMO020100', name: '绿源北方大区', parentCode: 'DEMO020000' },
  { code: 'DEMO020200', name: '绿源西南大区', parentCode: 'DEMO020000' },
  { code: 'DEMO030000', name: '恒储新能源', parentCode: 'PLATFORM' },
  { code: 'DEMO030100', name: '恒储工商业事业部', parentCode: 'DEMO030000' },
]

export const demoOperators: readonly DemoOperator[] = [
  operator('DEMOSZ', '深圳迅换运营', 'DEMO010100', '440300', 'shenzhen', '陈晓岚'),
  operator('DEMOGZ', '广州快骑运营', 'DEMO010100', '440100', 'guangzhou', '黄志强'),
  operator('DEMOSH', '上海申换运营', 'DEMO010200', '310100', 'shanghai', '陆佳怡'),
  operator('DEMOHZ', '杭州闪骑运营', 'DEMO010200', '330100', 'hangzhou', '沈一帆'),
  operator('DEMONJ', '南京金陵换电', 'DEMO010200', '320100', 'nanjing', '顾明'),
  operator('DEMOBJ', '北京京骑运营', 'DEMO020100', '110100', 'beijing', '赵鹏飞'),
  operator('DEMOXA', '西安秦骑运营', 'DEMO020100', '610100', 'xian', '李文静'),
  operator('DEMOCD', '成都蓉骑运营', 'DEMO020200', '510100', 'chengdu', '唐雨桐'),
  operator('DEMOCQ', '重庆渝换运营', 'DEMO020200', '500100', 'chongqing', '冉俊杰'),
  operator('DEMOWH', '武汉恒储能源服务', 'DEMO030100', '420100', 'wuhan', '彭思远'),
]

function operator(
  code: string,
  name: string,
  organizationCode: string,
  cityCode: string,
  loginName: string,
  userName: string,
): DemoOperator {
  return { code, name, organizationCode, cityCode, loginName, userName }
}

/** Whether the demonstration has ever been planted here: one of its organizations suffices. */
export async function isDemo(db: Db): Promise<boolean> {
  const codes = organizations.map(({ code }) => code)
  const { rows } = await sql`SELECT FROM organization WHERE code = ANY(${codes}::text[]) LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Whether an administrator was made: then somebody has begun to use the installation. */
export async function hasUsers(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT FROM app_user LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Three manufacturers with their branches, and operators in ten cities. What is there already stays as it is. */
export async function plantOrganizations(trx: Trx): Promise<void> {
  for (const { code, name, parentCode } of organizations) {
    await sql`
      INSERT INTO organization (parent_id, code, name)
      SELECT id, ${code}, ${name} FROM organization WHERE code = ${parentCode}
      ON CONFLICT (code) DO NOTHING`.execute(trx)
  }
  for (const { code, name, organizationCode } of demoOperators) {
    await sql`
      INSERT INTO operator (organization_id, code, name)
      SELECT id, ${code}, ${name} FROM organization WHERE code = ${organizationCode}
      ON CONFLICT (code) DO NOTHING`.execute(trx)
  }
}

/**
 * A user per operator, who may watch and deal with alarms (role OPERATOR) of that operator's devices
 * alone: what data permissions do is seen by signing in as one. Existing users are left alone.
 */
export async function plantUsers(trx: Trx, password: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM app_user
    WHERE login_name = ANY(${demoOperators.map(({ loginName }) => loginName)})`.execute(trx)
  if (rows[0]?.count === demoOperators.length) return
  const passwordHash = await hashPassword(password)
  for (const [index, { code, loginName, userName }] of demoOperators.entries()) {
    await sql`
      WITH planted AS (
        INSERT INTO app_user (organization_id, user_name, login_name, password_hash, phone, user_type)
        SELECT organization_id, ${userName}, ${loginName}, ${passwordHash}, ${`139${10_000_001 + index}`}, '3'
        FROM operator WHERE code = ${code}
        ON CONFLICT (login_name) DO NOTHING RETURNING id
      ), as_operator AS (
        INSERT INTO user_role (user_id, role_id)
        SELECT planted.id, role.id FROM planted, role WHERE role.code = 'OPERATOR'
      )
      INSERT INTO user_authority (user_id, authority_type, value)
      SELECT planted.id, 'O', operator.id::text FROM planted, operator WHERE operator.code = ${code}`.execute(
      trx,
    )
  }
}
