import { Input, Pagination, Select } from 'antd'

// What antd has for a list's filters and its pager: more than the rest of a list. `Later.tsx` fetches it.

export { Input, Pagination, Select }
