import {
  AlertOutlined,
  ApartmentOutlined,
  ApiOutlined,
  AppstoreOutlined,
  AuditOutlined,
  BankOutlined,
  BarChartOutlined,
  BellOutlined,
  BlockOutlined,
  BookOutlined,
  CloudUploadOutlined,
  ClusterOutlined,
  ControlOutlined,
  DashboardOutlined,
  DatabaseOutlined,
  DesktopOutlined,
  EnvironmentOutlined,
  FileSearchOutlined,
  FileTextOutlined,
  GatewayOutlined,
  HddOutlined,
  HistoryOutlined,
  HomeOutlined,
  KeyOutlined,
  LinkOutlined,
  MenuOutlined,
  NotificationOutlined,
  PictureOutlined,
  ProfileOutlined,
  SafetyCertificateOutlined,
  ScheduleOutlined,
  SearchOutlined,
  SettingOutlined,
  ShopOutlined,
  StopOutlined,
  TeamOutlined,
  ThunderboltOutlined,
  ToolOutlined,
  UserOutlined,
} from '@ant-design/icons'
import type { ComponentType } from 'react'

/** The icons that a menu may name; any other name shows none. Each adds to the layout's chunk. */
export const menuIcons: Record<string, ComponentType> = {
  alert: AlertOutlined,
  shop: ShopOutlined,
  key: KeyOutlined,
  desktop: DesktopOutlined,
  block: BlockOutlined,
  bell: BellOutlined,
  apartment: ApartmentOutlined,
  api: ApiOutlined,
  appstore: AppstoreOutlined,
  audit: AuditOutlined,
  bank: BankOutlined,
  'bar-chart': BarChartOutlined,
  book: BookOutlined,
  'cloud-upload': CloudUploadOutlined,
  cluster: ClusterOutlined,
  control: ControlOutlined,
  dashboard: DashboardOutlined,
  database: DatabaseOutlined,
  environment: EnvironmentOutlined,
  'file-search': FileSearchOutlined,
  'file-text': FileTextOutlined,
  gateway: GatewayOutlined,
  hdd: HddOutlined,
  history: HistoryOutlined,
  home: HomeOutlined,
  link: LinkOutlined,
  menu: MenuOutlined,
  notification: NotificationOutlined,
  picture: PictureOutlined,
  profile: ProfileOutlined,
  safety: SafetyCertificateOutlined,
  schedule: ScheduleOutlined,
  search: SearchOutlined,
  setting: SettingOutlined,
  stop: StopOutlined,
  team: TeamOutlined,
  thunderbolt: ThunderboltOutlined,
  tool: ToolOutlined,
  user: UserOutlined,
}

/** `AlertOutlined`, `alert` and `Alert` name the same icon. */
export function menuIconName(name: string | null): string | undefined {
  if (!name) return undefined
  const plain = name
    .replace(/Outlined$/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
  return plain in menuIcons ? plain : undefined
}

export function MenuIcon({ name }: { name: string | null }) {
  const Icon = menuIcons[menuIconName(name) ?? 'appstore']
  return Icon ? <Icon /> : null
}
