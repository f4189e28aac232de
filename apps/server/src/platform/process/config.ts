// All settings of the server: their environment variables, defaults, limits, and the refusal of each bad value.
import { resolve } from 'node:path'
import { z } from 'zod'
import { bucketAddressOf } from './bucket-address.ts'
import { isDatabaseAddress } from './database-address.ts'
import { isSealKey } from './sealing.ts'
import { StartupError } from './startup-error.ts'
import { startupTexts as texts } from './startup-texts.ts'

const port = z.coerce
  .number(texts.port)
  .int(texts.wholePort)
  .min(0, texts.portLeast)
  .max(65_535, texts.portMost)
const count = (unit: string, least: number, most: number) =>
  z.coerce
    .number(texts.count(unit))
    .int(texts.wholeCount(unit))
    .min(least, texts.least(least))
    .max(most, texts.most(most))
const flag = z.enum(['true', 'false'], texts.oneOf(['true', 'false'])).transform((text) => text === 'true')
const address = (protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)),
      texts.address(protocols.map((protocol) => `${protocol}://`)),
    )

/** May name several hosts, which no URL does. */
const databaseAddress = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:/.test(text) && isDatabaseAddress(text),
    texts.address(['postgres://', 'postgresql://']),
  )

export const roles = ['api', 'ingest', 'jobs'] as const
export type Role = (typeof roles)[number]

interface Setting<S extends z.ZodType> {
  /** The environment variable. */
  name: string
  schema: S
  /** For the table in docs/operating.md, which a test compares with this one. */
  about: string
  /** Shown there; undefined is a setting that may be left out. */
  defaultText: string | undefined
}

function setting<S extends z.ZodType>(
  name: string,
  defaultText: string | undefined,
  schema: S,
  about: string,
): Setting<S> {
  return { name, schema, about, defaultText }
}

/** Every setting of the server. A setting is an environment variable; an empty one counts as absent. */
export const settings = {
  host: setting('HOST', '0.0.0.0', z.string(), '网页、接口和设备接入监听的地址'),
  httpHost: setting('HTTP_HOST', undefined, z.string().optional(), '网页和接口监听的地址；不设置则同 HOST'),
  httpPort: setting('HTTP_PORT', '8080', port, '网页和接口的端口'),
  httpsPort: setting('HTTPS_PORT', '8443', port, '设置了 TLS_CERT 时，网页和接口的加密端口'),
  mqttHost: setting('MQTT_HOST', undefined, z.string().optional(), '设备接入监听的地址；不设置则同 HOST'),
  mqttPort: setting('MQTT_PORT', '1883', port, '内置设备接入服务（MQTT）的端口'),
  mqttTlsPort: setting('MQTT_TLS_PORT', '8883', port, '设置了 TLS_CERT 时，设备接入的加密端口'),
  mqttTlsOnly: setting('MQTT_TLS_ONLY', 'false', flag, '设备只能通过加密端口接入：true 或 false'),
  mqttClientCa: setting(
    'MQTT_CLIENT_CA',
    undefined,
    z.string().optional(),
    '签发设备证书的 CA（PEM 文件）；设置后设备可用证书登录，证书的通用名（CN）为设备编号',
  ),
  mqttClientCrl: setting(
    'MQTT_CLIENT_CRL',
    undefined,
    z.string().optional(),
    '设备证书的吊销列表（PEM 文件）',
  ),
  mqttProxyProtocol: setting(
    'MQTT_PROXY_PROTOCOL',
    'false',
    flag,
    '设备接入前的 TCP 代理（地址见 TRUSTED_PROXIES）以 PROXY 协议说明客户端地址：true 或 false',
  ),
  tlsCert: setting('TLS_CERT', undefined, z.string().optional(), 'TLS 证书（PEM 文件，含中间证书）'),
  tlsKey: setting('TLS_KEY', undefined, z.string().optional(), 'TLS 证书的私钥（PEM 文件）'),
  hstsMaxAge: setting(
    'HSTS_MAX_AGE',
    '31536000',
    count('秒', 0, 63_072_000),
    '浏览器在多少秒内只用加密方式访问（HSTS）',
  ),
  mqttUrl: setting(
    'MQTT_URL',
    undefined,
    address(['mqtt', 'mqtts']).optional(),
    '外部 MQTT 服务的地址，如 mqtt://用户:密码@主机:1883；不设置则使用内置服务',
  ),
  dataDir: setting(
    'DATA_DIR',
    './data',
    z.string().transform((path) => resolve(path)),
    '数据目录：数据库、上传的文件和日志',
  ),
  backupDir: setting(
    'BACKUP_DIR',
    undefined,
    z
      .string()
      .transform((path) => resolve(path))
      .optional(),
    '自动备份存放的目录，应在另一块磁盘；不设置则不自动备份。保留最近 7 天、4 周和 12 个月各一份',
  ),
  backupHour: setting(
    'BACKUP_HOUR',
    '3',
    z.coerce
      .number(texts.count('小时'))
      .int(texts.wholeCount('小时'))
      .min(0, texts.least(0))
      .max(23, texts.most(23)),
    '自动备份在每天几点（0 至 23）',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    undefined,
    databaseAddress.optional(),
    '外部 PostgreSQL（15 或更高版本）的地址，如 postgresql://用户:密码@主机:5432/库名，可用逗号列出多台主机（自动使用可写的一台）；' +
      '不设置则使用内置数据库',
  ),
  databaseOwnerUrl: setting(
    'DATABASE_OWNER_URL',
    undefined,
    databaseAddress.optional(),
    '同一个库的地址，用户为全部表的所有者：迁移和分区由它执行，DATABASE_URL 的用户因此无法更改操作日志；' +
      '不设置则都由 DATABASE_URL 的用户执行',
  ),
  dbPoolSize: setting('DB_POOL_SIZE', '20', count('连接', 2, 500), '每个进程的数据库连接数'),
  s3Url: setting(
    'S3_URL',
    undefined,
    address(['http', 'https'])
      .refine((url) => bucketAddressOf(url) !== undefined, texts.bucket)
      .optional(),
    '存放文件的 S3 存储桶，如 https://主机/桶名 或 https://主机/桶名/前缀；不设置则存放在 DATA_DIR/files',
  ),
  s3Region: setting('S3_REGION', 'us-east-1', z.string(), 'S3 区域'),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', undefined, z.string().optional(), 'S3 访问密钥标识'),
  s3SecretAccessKey: setting('S3_SECRET_ACCESS_KEY', undefined, z.string().optional(), 'S3 访问密钥'),
  fileDelivery: setting(
    'FILE_DELIVERY',
    'server',
    z.enum(['server', 'nginx', 'bucket'], texts.oneOf(['server', 'nginx', 'bucket'])),
    '由谁发送文件内容：server（本服务）、nginx（前面的 nginx，文件须在本机磁盘）、bucket（设备直接向 S3 存储桶下载）',
  ),
  adminPassword: setting(
    'ADMIN_PASSWORD',
    undefined,
    z.string().min(6, texts.leastLength(6)).max(128, texts.mostLength(128)).optional(),
    '首次启动时管理员 admin 的密码；不设置则随机生成并打印一次',
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    undefined,
    address(['http', 'https'])
      .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
      .optional(),
    '浏览器访问本服务的地址，启动时打印；不设置则打印 localhost 和端口',
  ),
  companyName: setting(
    'COMPANY_NAME',
    undefined,
    z.string().max(100, texts.mostLength(100)).optional(),
    '运营方名称，写入用户协议和隐私政策',
  ),
  companyNameEn: setting(
    'COMPANY_NAME_EN',
    undefined,
    z.string().max(200, texts.mostLength(200)).optional(),
    '运营方的英文名称；不设置则英文协议中使用 COMPANY_NAME',
  ),
  companyAddress: setting(
    'COMPANY_ADDRESS',
    undefined,
    z.string().max(200, texts.mostLength(200)).optional(),
    '运营方地址，写入用户协议和隐私政策',
  ),
  companyAddressEn: setting(
    'COMPANY_ADDRESS_EN',
    undefined,
    z.string().max(300, texts.mostLength(300)).optional(),
    '运营方的英文地址；不设置则英文协议中使用 COMPANY_ADDRESS',
  ),
  agreementDate: setting(
    'AGREEMENT_DATE',
    undefined,
    z.iso.date(texts.date).optional(),
    '用户协议和隐私政策的生效日期',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    undefined,
    z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], texts.networks)))
      .optional(),
    '反向代理的地址或网段：只采信它们给出的客户端地址（X-Forwarded-For），登录限制按客户端地址计数',
  ),
  notifyNetworks: setting(
    'NOTIFY_NETWORKS',
    undefined,
    z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], texts.networks)))
      .optional(),
    '通知（机器人、Webhook、邮件）可以访问的内网地址或网段，如 10.0.0.0/8；不设置则只能访问公网地址',
  ),
  sealKey: setting(
    'SEAL_KEY',
    undefined,
    z.string().refine(isSealKey, texts.sealKey).optional(),
    '加密通知渠道密钥用的密钥：32 字节的 Base64；多台机器共用一个库时必须设置且相同；不设置则在 DATA_DIR/seal.key 中生成',
  ),
  ddiPollSeconds: setting(
    'DDI_POLL_SECONDS',
    '300',
    count('秒', 1, 86_399),
    '以 hawkBit DDI 接入的设备每隔多少秒轮询一次；连续三次未轮询即为离线',
  ),
  ddiGatewayToken: setting(
    'DDI_GATEWAY_TOKEN',
    undefined,
    z.string().min(32, texts.leastLength(32)).max(128, texts.mostLength(128)).optional(),
    '网关令牌：持有者可代表任何以 hawkBit DDI 接入的设备；不设置则只接受设备自己的密钥',
  ),
  ocppPlainNetworks: setting(
    'OCPP_PLAIN_NETWORKS',
    undefined,
    z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], texts.networks)))
      .optional(),
    '允许以 OCPP 接入的设备不带密码（安全等级 0）的地址或网段；不设置则都要密码或证书',
  ),
  ocppRelayNetworks: setting(
    'OCPP_RELAY_NETWORKS',
    undefined,
    z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], texts.networks)))
      .optional(),
    '充电桩可以转发到的内网地址或网段，如 10.0.0.0/8；不设置则只能转发到公网地址',
  ),
  ocppAuthorize: setting(
    'OCPP_AUTHORIZE',
    'false',
    flag,
    '以 OCPP 接入的设备询问刷卡或扫码能否充电时是否一律允许：true 或 false',
  ),
  signInAddressLimit: setting(
    'SIGN_IN_ADDRESS_LIMIT',
    '50',
    count('次', 5, 100_000),
    '15 分钟内同一客户端地址登录失败的次数上限，超过后该地址不能登录；许多人共用一个出口地址时可调大',
  ),
  sessionsPerUser: setting(
    'SESSIONS_PER_USER',
    '20',
    count('个', 1, 100_000),
    '一个用户同时登录的会话数上限，超过时最久未使用的会话被终止',
  ),
  metricsPort: setting(
    'METRICS_PORT',
    undefined,
    port.optional(),
    '监控指标（Prometheus 的 /metrics）的端口；不设置则不提供',
  ),
  metricsHost: setting('METRICS_HOST', '127.0.0.1', z.string(), '监控指标监听的地址'),
  otlpUrl: setting(
    'OTLP_URL',
    undefined,
    address(['http', 'https']).optional(),
    'OpenTelemetry 收集器的地址（OTLP，HTTP），如 http://主机:4318；不设置则不发送',
  ),
  otlpAuthorization: setting(
    'OTLP_AUTHORIZATION',
    undefined,
    z.string().max(2_000, texts.mostLength(2_000)).optional(),
    '向收集器出示的 Authorization 请求头，如 Bearer 令牌',
  ),
  otlpTracePercent: setting(
    'OTLP_TRACE_PERCENT',
    '100',
    count('百分', 0, 100),
    '记录链路的请求、批次和后台任务所占的百分比；0 为只发送指标',
  ),
  otlpMetricsSeconds: setting(
    'OTLP_METRICS_SECONDS',
    '60',
    count('秒', 1, 3_600),
    '每隔多少秒向收集器发送一次指标',
  ),
  syslogUrl: setting(
    'SYSLOG_URL',
    undefined,
    address(['tls']).optional(),
    '接收操作日志和登录记录的 syslog 服务器（RFC 5424，TLS），如 tls://主机:6514；不设置则不发送',
  ),
  syslogCa: setting(
    'SYSLOG_CA',
    undefined,
    z.string().optional(),
    '签发 syslog 服务器证书的 CA（PEM 文件）；不设置则用系统信任的 CA',
  ),
  syslogCert: setting(
    'SYSLOG_CERT',
    undefined,
    z.string().optional(),
    '向 syslog 服务器出示的客户端证书（PEM 文件）',
  ),
  syslogKey: setting('SYSLOG_KEY', undefined, z.string().optional(), '该证书的私钥（PEM 文件）'),
  syslogEnterpriseNumber: setting(
    'SYSLOG_ENTERPRISE_NUMBER',
    '32473',
    count('企业', 1, 4_294_967_295),
    'syslog 结构化数据名称 voltkeep@… 中的 IANA 企业编号；默认为文档用编号',
  ),
  zone: setting(
    'TZ',
    'Asia/Shanghai',
    z.string().refine(isZone, texts.zone),
    '时区：接口中的时间、按日统计和日志都以它为准',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      texts.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    ),
    '日志级别',
  ),
  roles: setting(
    'ROLES',
    roles.join(','),
    z
      .string()
      .transform((text) => text.split(',').map((word) => word.trim()))
      .pipe(z.array(z.enum(roles, `只能包含 ${roles.join('、')}`)).min(1))
      .transform((list): ReadonlySet<Role> => new Set(list)),
    '本进程的服务角色：api（网页和接口）、ingest（设备接入）、jobs（后台任务）',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '30',
    count('秒', 0, 3_600),
    '停止时在多少秒内把设备逐步断开，使其连到其他进程；没有其他接入进程时立即断开',
  ),
  nodeName: setting(
    'NODE_NAME',
    undefined,
    z.string().max(100, texts.mostLength(100)).optional(),
    '本进程在服务器页面上的名称；不设置则为主机名',
  ),
  historyRetentionDays: setting(
    'HISTORY_RETENTION_DAYS',
    '365',
    count('天', 31, 36_500),
    '历史告警、事件、操作日志、升级过程和批量设置日志的保留天数',
  ),
  ackMinutesCritical: setting(
    'ALARM_ACK_MINUTES_CRITICAL',
    '30',
    count('分钟', 1, 525_600),
    '紧急告警确认后无人认领时，多久仍未恢复即重新变为未确认',
  ),
  ackMinutes: setting(
    'ALARM_ACK_MINUTES',
    '240',
    count('分钟', 1, 525_600),
    '其他级别的告警确认后无人认领时，多久仍未恢复即重新变为未确认',
  ),
  handoverOverdueMinutes: setting(
    'HANDOVER_OVERDUE_MINUTES',
    '30',
    count('分钟', 1, 10_080),
    '班次结束后多久仍未签收的交接单显示为超时未签收',
  ),
  historyRowsPerDay: setting(
    'HISTORY_ROWS_PER_DAY',
    '0',
    count('条', 0, 10_000_000_000),
    '一天最多写入的历史告警和事件条数：达到 80% 后重复的事件不再保存，达到后事件都不再保存；告警始终保存；0 表示不限',
  ),
  readingsRawDays: setting(
    'READINGS_RAW_DAYS',
    '30',
    count('天', 2, 3_650),
    '设备读数的每个值的保留天数；更早的迟到上报不再保存',
  ),
  readingsHourDays: setting(
    'READINGS_HOUR_DAYS',
    '400',
    count('天', 62, 36_500),
    '设备读数按小时统计（最小、最大、平均、最后值）的保留天数',
  ),
  readingsDayYears: setting('READINGS_DAY_YEARS', '5', count('年', 1, 100), '设备读数按天统计的保留年数'),
  logRetentionDays: setting(
    'LOG_RETENTION_DAYS',
    '30',
    count('天', 1, 3_650),
    '从设备提取的日志文件的保留天数',
  ),
  logFileLimitMb: setting(
    'LOG_FILE_LIMIT_MB',
    '200',
    count('MB', 1, 10_000),
    '从设备提取的一个日志文件的大小上限（MB），更大的文件拒收',
  ),
  diskWarnPercent: setting(
    'DISK_WARN_PERCENT',
    '80',
    count('百分', 1, 100),
    'DATA_DIR 所在磁盘的使用率达到此百分比时告警；100 为不告警',
  ),
  diskWarnFreeGb: setting(
    'DISK_WARN_FREE_GB',
    '100',
    count('GB', 1, 1_000_000),
    '剩余空间不少于此数（GB）时，使用率再高也不告警',
  ),
  diskStopPercent: setting(
    'DISK_STOP_PERCENT',
    '95',
    count('百分', 1, 100),
    '使用率达到此百分比时停止接收设备报文，空间足够后自动恢复；剩余空间不足其两倍时已停止上传和导出；100 为不停止',
  ),
  diskStopFreeGb: setting(
    'DISK_STOP_FREE_GB',
    '10',
    count('GB', 1, 1_000_000),
    '剩余空间不少于此数（GB）时，使用率再高也不停止',
  ),
  bodySeconds: setting(
    'BODY_SECONDS',
    '10',
    count('秒', 1, 300),
    '请求内容须在这么多秒内传完，否则断开；文件上传不受此限，按 LEAST_BYTES_PER_SECOND 判断',
  ),
  exportsPerUser: setting(
    'EXPORTS_PER_USER',
    '2',
    count('个', 1, 100),
    '一个用户同时进行的导出的上限，更多的被拒绝',
  ),
  uploadsPerUser: setting(
    'UPLOADS_PER_USER',
    '3',
    count('个', 1, 100),
    '一个用户同时进行的上传的上限，更多的被拒绝',
  ),
  unusedFilesMbPerUser: setting(
    'UNUSED_FILES_MB_PER_USER',
    '1024',
    count('MB', 200, 1_000_000),
    '一个用户已上传但未使用的文件的上限（MB），一个组织为其三倍，磁盘较小时更少；未使用的文件 1 小时后清理',
  ),
  streamsPerUser: setting(
    'STREAMS_PER_USER',
    '20',
    count('个', 1, 10_000),
    '一个用户同时打开的实时更新连接的上限（每个打开的网页一个），更多的被拒绝',
  ),
  leastBytesPerSecond: setting(
    'LEAST_BYTES_PER_SECOND',
    '1000',
    count('字节', 0, 1_000_000),
    '上传和下载的最低速度（字节每秒，上传按 20 秒、下载按 60 秒计），更慢的断开；0 表示不限',
  ),
  mqttMaxConnections: setting(
    'MQTT_MAX_CONNECTIONS',
    undefined,
    count('连接', 1, 1_000_000).optional(),
    '内置设备接入服务最多的连接数；不设置则由可打开的文件数决定，并为网页、接口和数据库留出',
  ),
  mqttMaxConnectionsPerAddress: setting(
    'MQTT_MAX_CONNECTIONS_PER_ADDRESS',
    undefined,
    count('连接', 1, 1_000_000).optional(),
    '同一地址最多多少台设备在线；不设置则不限（许多设备可能共用一个出口地址）',
  ),
  mqttMaxStrangers: setting(
    'MQTT_MAX_STRANGERS',
    '4000',
    count('连接', 1, 1_000_000),
    '尚未登录的设备连接最多多少个',
  ),
  mqttMaxStrangersPerAddress: setting(
    'MQTT_MAX_STRANGERS_PER_ADDRESS',
    '2000',
    count('连接', 1, 1_000_000),
    '同一地址尚未登录的设备连接最多多少个',
  ),
  httpMaxConnections: setting(
    'HTTP_MAX_CONNECTIONS',
    '4000',
    count('连接', 10, 1_000_000),
    '网页和接口最多的连接数，至多为可打开的文件数的四分之一',
  ),
  httpMaxConnectionsPerAddress: setting(
    'HTTP_MAX_CONNECTIONS_PER_ADDRESS',
    '1000',
    count('连接', 10, 1_000_000),
    '同一地址（IPv6 按 64 位网段）到网页和接口最多的连接数；TRUSTED_PROXIES 中的地址不限',
  ),
  consentSafetyParameters: setting(
    'CONSENT_SAFETY_PARAMETERS',
    'false',
    flag,
    '批量设置安全参数（过温点、平台 IP 和端口）须另一人同意：true 或 false',
  ),
  consentDevices: setting(
    'CONSENT_DEVICES',
    '0',
    count('台', 0, 1_000_000),
    '批量设置、升级或自动升级超过这么多台设备时须另一人同意；0 表示不需要',
  ),
  deviceMessagesPerSecond: setting(
    'DEVICE_MESSAGES_PER_SECOND',
    '50',
    count('条', 0, 1_000_000),
    '一台设备每秒最多发送的报文数，超出的暂不读取；0 表示不限（仅内置设备接入服务）',
  ),
  deviceMessageBurst: setting(
    'DEVICE_MESSAGE_BURST',
    '1000',
    count('条', 1, 1_000_000),
    '一台设备可一次发送的报文数，用完后按 DEVICE_MESSAGES_PER_SECOND 接收',
  ),
  deviceBytesPerSecond: setting(
    'DEVICE_BYTES_PER_SECOND',
    '100000',
    count('字节', 0, 1_000_000_000),
    '一台设备每秒最多发送的字节数，可一次发送其二十倍；0 表示不限（仅内置设备接入服务）',
  ),
  deviceMaxOpenAlarms: setting(
    'DEVICE_MAX_OPEN_ALARMS',
    '1000',
    count('条', 1, 1_000_000),
    '一台设备最多同时有多少条当前告警，更多的被拒绝',
  ),
  deviceMaxUnknownCodes: setting(
    'DEVICE_MAX_UNKNOWN_CODES',
    '200',
    count('个', 0, 1_000_000),
    '一台设备最多使用多少个字典中没有的告警和事件编码，更多的被拒绝',
  ),
} as const satisfies Record<string, Setting<z.ZodType>>

export type Config = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }

/**
 * The zone of the process and of the database follow TZ, so both must read the name alike. Of the names that Intl
 * takes, `+08:00` is UTC to the process and eight hours west to PostgreSQL, `asia/shanghai` is UTC to the process, and
 * `CST` is Chicago to the process and, to PostgreSQL, nothing or another zone.
 */
function isZone(name: string): boolean {
  if (name !== 'UTC' && !/^[A-Z][A-Za-z]+\/[A-Z]/.test(name)) return false
  try {
    const zone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    return zone === name || zone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}

/** Reads all settings, or refuses with one line for each that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const config: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [key, { name, schema, defaultText, about }] of Object.entries(settings)) {
    const text = env[name]?.trim() || defaultText
    const result = schema.safeParse(text)
    if (result.success) {
      config[key] = result.data
    } else {
      problems.push(texts.badSetting(name, shown(name, text), result.error.issues[0]?.message, about))
    }
  }
  if (config.databaseOwnerUrl !== undefined && config.databaseUrl === undefined) {
    problems.push(texts.needs('DATABASE_OWNER_URL', ['DATABASE_URL']))
  }
  const { s3Url, s3AccessKeyId, s3SecretAccessKey } = config as Partial<Config>
  if (s3Url !== undefined && (s3AccessKeyId === undefined || s3SecretAccessKey === undefined)) {
    problems.push(texts.needs('S3_URL', ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']))
  }
  const { diskWarnPercent = 0, diskStopPercent = 100 } = config as Partial<Config>
  if (diskWarnPercent > diskStopPercent) {
    problems.push(texts.notGreater('DISK_WARN_PERCENT', 'DISK_STOP_PERCENT'))
  }
  const { fileDelivery } = config as Partial<Config>
  if (fileDelivery === 'bucket' && s3Url === undefined) {
    problems.push(texts.neededAs('FILE_DELIVERY', 'bucket', ['S3_URL']))
  }
  if (fileDelivery === 'nginx' && s3Url !== undefined) {
    problems.push(texts.nginxNeedsDisk)
  }
  problems.push(...tlsProblems(config as Partial<Config>))
  problems.push(...syslogProblems(config as Partial<Config>))
  if (problems.length > 0) throw new StartupError(problems.join('\n'))
  return config as Config
}

/** What is missing among the TLS settings. The files are read by those who use them. */
function tlsProblems(config: Partial<Config>): string[] {
  const { tlsCert, tlsKey, mqttTlsOnly, mqttClientCa, mqttClientCrl, mqttProxyProtocol } = config
  if ((tlsCert === undefined) !== (tlsKey === undefined)) return [texts.bothNeeded('TLS_CERT', 'TLS_KEY')]
  const problems: string[] = []
  if (tlsCert === undefined && mqttTlsOnly) {
    problems.push(texts.neededAs('MQTT_TLS_ONLY', 'true', ['TLS_CERT', 'TLS_KEY']))
  }
  if (tlsCert === undefined && mqttClientCa !== undefined) {
    problems.push(texts.needs('MQTT_CLIENT_CA', ['TLS_CERT', 'TLS_KEY']))
  }
  if (mqttClientCa === undefined && mqttClientCrl !== undefined) {
    problems.push(texts.needs('MQTT_CLIENT_CRL', ['MQTT_CLIENT_CA']))
  }
  if (mqttProxyProtocol && config.trustedProxies === undefined) {
    problems.push(texts.proxiesNeeded)
  }
  return problems
}

function syslogProblems({ syslogUrl, syslogCa, syslogCert, syslogKey }: Partial<Config>): string[] {
  if ((syslogCert === undefined) !== (syslogKey === undefined))
    return [texts.bothNeeded('SYSLOG_CERT', 'SYSLOG_KEY')]
  if (syslogUrl !== undefined) return []
  if (syslogCert !== undefined) return [texts.needs('SYSLOG_CERT', ['SYSLOG_URL'])]
  return syslogCa === undefined ? [] : [texts.needs('SYSLOG_CA', ['SYSLOG_URL'])]
}

/** The value of a setting that may be a secret is not repeated on the console. */
function shown(name: string, text: string | undefined): string {
  return /PASSWORD|SECRET|KEY|TOKEN|AUTHORIZATION|_URL/.test(name)
    ? texts.notShown
    : JSON.stringify(text ?? '')
}
