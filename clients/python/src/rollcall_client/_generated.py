"""Types and endpoints of the API. Generated from ../openapi.json by generate.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
from urllib.parse import quote as _quote

from ._transport import Transport


def quote(segment: str) -> str:
    return _quote(segment, safe="")


class Achievement(TypedDict):
    "Names and icon of an achievement."

    id: str
    label: str
    labelTr: str
    labelRu: str
    icon: str


class Achievements(TypedDict):
    "Achievements of a player."

    earned: list[Achievement]
    nextGoals: list[Achievement]


class Activity(TypedDict):
    "A vote, a review or an update post."

    type: Literal['vote', 'review', 'update']
    actor: str
    target: str
    time: Timestamp


class ActivityDay(TypedDict):
    "A UTC day on which the player began at least one session."

    date: Day
    count: int


class CapeDetail(TypedDict):
    "A cape in detail."

    id: str
    slug: str
    name: str
    description: str
    tags: list[str]
    pngPath: PictureUrl
    viewCount: int
    likeCount: int
    favoriteCount: int
    downloadCount: int
    playersUsing: list[TextureWearer]
    playersUsingCount: int
    owner: Owner
    viewer: Viewer


class CapeDetailData(TypedDict):
    "The cape asked for."

    cape: CapeDetail


class CapeList(TypedDict):
    "A page of the capes."

    capes: list[CapeSummary]
    pagination: Pagination


class CapeSummary(TypedDict):
    "A cape in the list."

    id: str
    slug: str
    name: str
    tags: list[str]
    pngPath: PictureUrl
    viewCount: int
    likeCount: int
    favoriteCount: int
    downloadCount: int
    isFeatured: bool
    createdAt: Timestamp
    ownerId: str
    owner: Owner


class ComparedServer(TypedDict):
    "The history of one server among others."

    slug: str
    points: list[HistoryPoint]


CountConfidence: TypeAlias = "Literal['listed', 'sampled', 'capped', 'offline']"


class CountryCount(TypedDict):
    "The number of servers in a country."

    country: str
    serverCount: int


class CountryCounts(TypedDict):
    "Servers by country."

    countries: list[CountryCount]


class DailyVotes(TypedDict):
    "The votes of one UTC day."

    day: Day
    votes: int


Day: TypeAlias = "str"


Direction: TypeAlias = "Literal['up', 'down', 'stable']"


class Error(TypedDict):
    "The body of every error."

    success: Literal[False]
    error: str


class ServerOnlineEvent(TypedDict):
    "`server.online`: the server answers."

    id: str
    type: Literal['server.online']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: ServerOnlineData


class ServerOfflineEvent(TypedDict):
    "`server.offline`: the server does not answer."

    id: str
    type: Literal['server.offline']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: ServerOfflineData


class ServerPeakEvent(TypedDict):
    "`server.peak`: more players than ever."

    id: str
    type: Literal['server.peak']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: ServerPeakData


class ServerVersionEvent(TypedDict):
    "`server.version`: the server reports another version."

    id: str
    type: Literal['server.version']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: ServerVersionData


class VoteCreatedEvent(TypedDict):
    "`vote.created`: a vote for the server."

    id: str
    type: Literal['vote.created']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: VoteCreatedData


class ReviewCreatedEvent(TypedDict):
    "`review.created`: a review is shown for the first time."

    id: str
    type: Literal['review.created']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: ReviewCreatedData


class PostApprovedEvent(TypedDict):
    "`post.approved`: an update post is shown for the first time."

    id: str
    type: Literal['post.approved']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: PostApprovedData


class PlayerJoinedEvent(TypedDict):
    "`player.joined`: a player is seen on the server."

    id: str
    type: Literal['player.joined']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: PlayerJoinedData


class PlayerLeftEvent(TypedDict):
    "`player.left`: the player is no longer on the server."

    id: str
    type: Literal['player.left']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: PlayerLeftData


class PlayerRenamedEvent(TypedDict):
    "`player.renamed`: the player has another nickname."

    id: str
    type: Literal['player.renamed']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: PlayerRenamedData


class SkinPublishedEvent(TypedDict):
    "`skin.published`: a skin is shown for the first time."

    id: str
    type: Literal['skin.published']
    at: Timestamp
    server: EventServer | None
    player: EventPlayer | None
    data: SkinPublishedData


Event: TypeAlias = "ServerOnlineEvent | ServerOfflineEvent | ServerPeakEvent | ServerVersionEvent | VoteCreatedEvent | ReviewCreatedEvent | PostApprovedEvent | PlayerJoinedEvent | PlayerLeftEvent | PlayerRenamedEvent | SkinPublishedEvent"


EventData: TypeAlias = "ServerOnlineData | ServerOfflineData | ServerPeakData | ServerVersionData | VoteCreatedData | ReviewCreatedData | PostApprovedData | PlayerJoinedData | PlayerLeftData | PlayerRenamedData | SkinPublishedData"


class EventList(TypedDict):
    "Some events, oldest first."

    events: list[Event]
    next: str


class EventPlayer(TypedDict):
    "The player of an event."

    id: str
    gameUuid: str
    nickname: str


class EventServer(TypedDict):
    "The server of an event."

    id: str
    slug: str
    name: str


class ExplainedHotScore(TypedDict):
    "The hot score."

    value: float
    formula: str
    inputs: HotScoreInputs
    coverage: float | None
    computedAt: Timestamp


class ExplainedPlayers(TypedDict):
    "The current player count and what it rests on."

    value: int
    confidence: CountConfidence
    reported: int
    named: int
    sampledAt: Timestamp | None


class ExplainedRank(TypedDict):
    "The rank among all public servers by votes."

    value: int
    formula: str
    inputs: RankInputs
    coverage: float | None
    computedAt: Timestamp


class ExplainedRating(TypedDict):
    "The mean rating."

    value: float
    formula: str
    inputs: RatingInputs
    coverage: float | None
    computedAt: Timestamp


class ExplainedTrend(TypedDict):
    "The trend of the last 24 hours."

    value: float
    formula: str
    inputs: TrendInputs
    coverage: float | None
    computedAt: Timestamp


class ExplainedUptime(TypedDict):
    "The uptime of the last 30 days."

    value: float
    formula: str
    inputs: UptimeInputs
    coverage: float | None
    computedAt: Timestamp


class Found(TypedDict):
    "Results by kind. A kind that was not asked for is an empty list."

    servers: list[FoundServer]
    players: list[FoundPlayer]


class FoundPlayer(TypedDict):
    "A player in the search results."

    id: str
    gameUuid: str
    mainNickname: str
    createdAt: Timestamp
    updatedAt: Timestamp


class FoundServer(TypedDict):
    "A server in the search results."

    id: str
    slug: str
    name: str
    iconUrl: PictureUrl
    bannerUrl: PictureUrl
    currentPlayers: int
    maxPlayers: int
    isOnline: bool
    rating: float


HistoryComparison = TypedDict("HistoryComparison", {"resolution": "str", "from": "Timestamp", "to": "Timestamp", "servers": "list[ComparedServer]", "missing": "list[str]", "next": "str | None"})


class HistoryPlayers(TypedDict):
    "Players within a bucket."

    avg: float
    peak: int
    low: int


class HistoryPoint(TypedDict):
    "One bucket of a history. It has the figures that `fields` selects."

    at: Timestamp
    coverage: float
    players: NotRequired[HistoryPlayers]
    latency: NotRequired[float | None]
    tps: NotRequired[float | None]
    uptime: NotRequired[float]


class HotScoreInputs(TypedDict):
    "Inputs of the hot score."

    voteHeat: float
    voteHeatAt: Timestamp
    recentPlayers: float
    uptime: float


class KeyStatus(TypedDict):
    "The API key of the request."

    id: str
    name: str
    createdAt: Timestamp
    expiresAt: Timestamp | None
    minute: KeyWindow
    day: KeyWindow
    month: KeyWindow


class KeyWindow(TypedDict):
    "The quota of a key within one window."

    limit: int
    used: int
    remaining: int
    resetsAt: Timestamp


class LatestStats(TypedDict):
    "What the last ping found."

    onlinePlayers: int
    tps: float | None
    timestamp: Timestamp | None


class Leaderboard(TypedDict):
    "A leaderboard: the players with the highest values of one metric in one period."

    metric: Literal['best', 'sessions', 'servers']
    period: Literal['24h', '7d', '30d', '90d', 'all-time']
    serverId: str | None
    generatedAt: Timestamp
    entries: list[LeaderboardEntry]


class LeaderboardData(TypedDict):
    "A page of a leaderboard."

    leaderboard: Leaderboard
    pagination: Pagination


class LeaderboardEntry(TypedDict):
    "A place on the leaderboard."

    rank: int
    player: LeaderboardPlayer
    value: float
    formattedValue: str


class LeaderboardPlayer(TypedDict):
    "The player of a leaderboard entry."

    id: str
    mainNickname: str
    gameUuid: str
    tierOverall: Literal['HT1', 'LT1', 'HT2', 'LT2', 'HT3', 'LT3', 'HT4', 'LT4', 'HT5', 'LT5', 'Unranked']
    tierPoints: int
    tierRank: int | None
    skinModel: Literal['classic', 'slim']
    skinUrl: PictureUrl
    linkedSkinPngPath: PictureUrl


class LinkedSkin(TypedDict):
    "The skin of the collection that a player wears."

    id: str
    slug: str
    pngPath: PictureUrl
    model: Literal['classic', 'slim']
    name: str


class LiveData(TypedDict):
    "Live statistics of all public servers."

    stats: LiveStats
    topServers: list[LiveServer]
    recentActivity: list[Activity]
    regions: list[Region]
    countryPlayers: dict[str, int]


class LiveHistory(TypedDict):
    "Players online per hour over the last seven days."

    history: list[LiveHistoryPoint]


class LiveHistoryPoint(TypedDict):
    "One hour of the history."

    timestamp: Timestamp
    totalPlayers: int


LiveHistoryRange = TypedDict("LiveHistoryRange", {"resolution": "str", "from": "Timestamp", "to": "Timestamp", "points": "list[HistoryPoint]", "next": "str | None"})


class LiveServer(TypedDict):
    "One of the busiest servers."

    id: str
    name: str
    players: int
    maxPlayers: int
    isOnline: bool
    country: str
    trend: Direction
    change: int


class LiveStats(TypedDict):
    "Totals over all public servers."

    totalPlayers: int
    totalServers: int
    onlineServers: int
    newPlayersToday: int
    peakToday: int
    generatedAt: Timestamp
    latestPingAt: Timestamp | None
    statsAgeSeconds: int | None
    stale: bool


class OutageList(TypedDict):
    "Outages of a server."

    outages: list[ServerOutage]
    next: str | None


class Owner(TypedDict):
    "The account that owns a server, skin or cape."

    id: str
    username: str
    avatar: PictureUrl


class Pagination(TypedDict):
    "The position of a page in its list."

    page: int
    limit: int
    total: int
    totalPages: int


class PeriodFigures(TypedDict):
    "Figures of a server over a period."

    avgPlayers: float
    peakPlayers: int
    minPlayers: int
    uptimePct: float


PeriodStats = TypedDict("PeriodStats", {"24h": "PeriodFigures", "7d": "PeriodFigures", "30d": "PeriodFigures", "90d": "PeriodFigures", "all-time": "PeriodFigures"})


PictureUrl: TypeAlias = "str"


class PlayerBatch(TypedDict):
    "Players by id."

    players: list[PlayerSummary]
    missing: list[str]


class PlayerDetail(TypedDict):
    "A player in detail."

    id: str
    gameUuid: str
    mainNickname: str
    nicknameHistory: list[str]
    country: str | None
    skinModel: Literal['classic', 'slim']
    skinUrl: PictureUrl
    linkedSkinId: str
    linkedSkinPngPath: PictureUrl
    linkedSkin: LinkedSkin
    tierOverall: Literal['HT1', 'LT1', 'HT2', 'LT2', 'HT3', 'LT3', 'HT4', 'LT4', 'HT5', 'LT5', 'Unranked']
    tierPoints: int
    tierRank: int | None
    createdAt: Timestamp
    updatedAt: Timestamp
    totalPlayTime: int
    sessionCount: int
    rankScore: float
    rank: int
    kdRatio: float
    totalKills: int
    totalDeaths: int
    totalWins: int
    recentSessions: list[Session]
    serversPlayed: list[ServerMention]
    latestStats: PlayerStats | None
    statsHistory: list[PlayerStatsPoint]
    activityData: list[ActivityDay]
    achievements: Achievements
    votedServers: list[VotedServer]
    reviews: list[PlayerReview]


class PlayerDetailData(TypedDict):
    "The player asked for."

    player: PlayerDetail


class PlayerJoinedData(TypedDict):
    "`player.joined`: a player is seen on the server."

    joinedAt: Timestamp


class PlayerLeftData(TypedDict):
    "`player.left`: the player is no longer on the server."

    lastSeenAt: Timestamp


class PlayerList(TypedDict):
    "A page of the player directory."

    players: list[PlayerSummary]
    pagination: Pagination


class PlayerRenamedData(TypedDict):
    "`player.renamed`: the player has another nickname."

    nickname: str
    previousNickname: str


class PlayerReview(TypedDict):
    "A review that the player wrote."

    id: str
    rating: int
    content: str
    createdAt: Timestamp
    server: ServerMention


class PlayerStats(TypedDict):
    "The latest counters that a server reported of a player."

    statsJson: StatsJson
    timestamp: Timestamp
    server: StatsServer


class PlayerStatsPoint(TypedDict):
    "Counters that a server reported of a player at one time."

    statsJson: StatsJson
    timestamp: Timestamp
    serverName: str


class PlayerSummary(TypedDict):
    "A player in the list."

    id: str
    gameUuid: str
    mainNickname: str
    skinUrl: PictureUrl
    linkedSkinPngPath: PictureUrl
    skinModel: Literal['classic', 'slim']
    country: str | None
    tierOverall: Literal['HT1', 'LT1', 'HT2', 'LT2', 'HT3', 'LT3', 'HT4', 'LT4', 'HT5', 'LT5', 'Unranked']
    tierPoints: int
    tierRank: int | None
    lastTierSyncAt: Timestamp | None
    createdAt: Timestamp
    totalPlayTime: int
    sessionCount: int


class PostApprovedData(TypedDict):
    "`post.approved`: an update post is shown for the first time."

    postId: str
    title: str


class RankInputs(TypedDict):
    "Inputs of the rank."

    totalVotes: int
    ahead: int
    tiedAhead: int
    servers: int


class RatingInputs(TypedDict):
    "Inputs of the rating."

    ratingSum: int
    reviews: int


class Region(TypedDict):
    "A continent, or `unknown` for servers whose country is not known."

    id: str
    name: str
    players: int
    servers: int


class Review(TypedDict):
    "A review of a server."

    id: str
    serverId: str
    userId: str | None
    gameUsername: str
    rating: int
    content: str
    createdAt: Timestamp
    updatedAt: Timestamp
    user: Reviewer
    playerId: str | None
    playerMainNickname: str
    playerGameUuid: str | None
    playerSkinUrl: PictureUrl | None
    playerSkinModel: Literal['classic', 'slim']
    playerLinkedSkinPngPath: PictureUrl


class ReviewCreatedData(TypedDict):
    "`review.created`: a review is shown for the first time."

    reviewId: str
    rating: int


class ReviewList(TypedDict):
    "A page of the reviews of a server, newest first."

    reviews: list[Review]
    total: int
    page: int
    totalPages: int
    avgRating: float
    latestReviewAt: Timestamp | None


class Reviewer(TypedDict):
    "The author of a review: an account, or only a name if the review was written without one."

    id: str | None
    username: str
    avatar: PictureUrl | None
    role: str


class SearchData(TypedDict):
    "Search results, best matches first."

    results: Found
    query: str


class ServerBatch(TypedDict):
    "Servers by slug."

    servers: list[ServerSummary]
    missing: list[str]


class ServerDetail(TypedDict):
    "A server in detail."

    id: str
    slug: str
    name: str
    ip: str
    port: int
    iconUrl: PictureUrl
    bannerUrl: PictureUrl
    motd: str
    motdRaw: str
    motdImageUrl: PictureUrl
    website: str | None
    chatUrl: str | None
    storeUrl: str | None
    videoUrl: str | None
    currentPlayers: int
    maxPlayers: int
    isOnline: bool
    country: str
    version: str
    protocol: int
    uptime: float
    rating: float
    totalVotes: int
    tags: list[str]
    owner: Owner | None
    latestStats: LatestStats
    statsHistory: list[StatsPoint]
    periodStats: PeriodStats
    voteStats: VoteStats
    dailyVotes: list[DailyVotes]


class ServerDetailData(TypedDict):
    "The server asked for."

    server: ServerDetail


class ServerExplanation(TypedDict):
    "The figures of a server, explained."

    slug: str
    uptime: ExplainedUptime
    trend: ExplainedTrend
    hotScore: ExplainedHotScore
    rating: ExplainedRating
    rank: ExplainedRank
    players: ExplainedPlayers


ServerHistory = TypedDict("ServerHistory", {"slug": "str", "resolution": "str", "from": "Timestamp", "to": "Timestamp", "points": "list[HistoryPoint]", "next": "str | None"})


class ServerList(TypedDict):
    "A page of the server list."

    servers: list[ServerSummary]
    pagination: Pagination


class ServerMention(TypedDict):
    "A server referenced by another resource."

    id: str
    slug: str
    name: str
    iconUrl: PictureUrl


class ServerOfflineData(TypedDict):
    "`server.offline`: the server does not answer."

    reason: str
    unreachableSince: Timestamp


class ServerOnlineData(TypedDict):
    "`server.online`: the server answers."

    offlineSince: Timestamp | None


class ServerOutage(TypedDict):
    "A time in which the server did not answer."

    startedAt: Timestamp
    endedAt: Timestamp | None
    duration: int
    reason: str


class ServerPeakData(TypedDict):
    "`server.peak`: more players than ever."

    players: int
    previousPlayers: int


class ServerSummary(TypedDict):
    "A server in the list."

    id: str
    slug: str
    name: str
    shortDescription: str
    ip: str
    port: int
    iconUrl: PictureUrl
    bannerUrl: PictureUrl
    motdImageUrl: PictureUrl
    motd: str
    website: str | None
    chatUrl: str | None
    visibility: Literal['PUBLIC']
    isOnline: bool
    currentPlayers: int
    maxPlayers: int
    version: str
    latency: int
    lastPing: Timestamp | None
    country: str
    tags: list[str]
    gameMode: str | None
    uptime: float
    trend: float
    totalVotes: int
    rating: float
    createdAt: Timestamp


class ServerVersionData(TypedDict):
    "`server.version`: the server reports another version."

    version: str
    previousVersion: str


class Session(TypedDict):
    "A stay of a player on a server."

    id: str
    server: ServerMention
    joinedAt: Timestamp
    leftAt: Timestamp
    totalPlayTime: int


class SkinDetail(TypedDict):
    "A skin in detail."

    id: str
    slug: str
    name: str
    description: str
    model: Literal['classic', 'slim']
    tags: list[str]
    pngPath: PictureUrl
    viewCount: int
    likeCount: int
    favoriteCount: int
    downloadCount: int
    createdAt: Timestamp
    ownerId: str
    owner: Owner
    playersUsing: list[TextureWearer]
    playersUsingCount: int
    viewer: Viewer


class SkinDetailData(TypedDict):
    "The skin asked for."

    skin: SkinDetail


class SkinList(TypedDict):
    "A page of the skins."

    skins: list[SkinSummary]
    pagination: Pagination


class SkinPublishedData(TypedDict):
    "`skin.published`: a skin is shown for the first time."

    skinId: str
    slug: str
    name: str
    model: Literal['classic', 'slim']
    pngUrl: PictureUrl


class SkinSummary(TypedDict):
    "A skin in the list."

    id: str
    slug: str
    name: str
    model: Literal['classic', 'slim']
    tags: list[str]
    pngPath: PictureUrl
    viewCount: int
    likeCount: int
    favoriteCount: int
    downloadCount: int
    usageCount: int
    isFeatured: bool
    createdAt: Timestamp
    ownerId: str
    owner: Owner


SpacedTimestamp: TypeAlias = "str"


StatsJson: TypeAlias = "dict[str, float]"


class StatsPoint(TypedDict):
    "A point of the player history."

    timestamp: Timestamp
    onlinePlayers: int


class StatsServer(TypedDict):
    "The server that reported the counters."

    slug: str
    name: str


class TextureWearer(TypedDict):
    "A player who wears a skin or cape."

    id: str
    mainNickname: str
    gameUuid: str
    skinUrl: PictureUrl
    skinModel: Literal['classic', 'slim']
    tierOverall: Literal['HT1', 'LT1', 'HT2', 'LT2', 'HT3', 'LT3', 'HT4', 'LT4', 'HT5', 'LT5', 'Unranked']
    linkedSkinPngPath: PictureUrl


Timestamp: TypeAlias = "str"


class TopServer(TypedDict):
    "A server in the top list."

    id: str
    slug: str
    name: str
    ip: str
    iconUrl: PictureUrl
    bannerUrl: PictureUrl
    motdImageUrl: PictureUrl
    currentPlayers: int
    maxPlayers: int
    isOnline: bool
    country: str
    totalVotes: int
    uptime: float
    trend: float
    recentVotes: int
    hotScore: float


class TopServers(TypedDict):
    "The first servers by one criterion."

    servers: list[TopServer]
    total: int
    sort: Literal['votes', 'hot', 'players', 'rating', 'trending']


class TrendInputs(TypedDict):
    "Inputs of the trend."

    since: Timestamp
    sinceBefore: Timestamp
    playerMs: int
    watchedMs: int
    playerMsBefore: int
    watchedMsBefore: int


class UpdatePost(TypedDict):
    "An announcement of a server's owner."

    id: str
    serverId: str
    userId: str
    title: str
    content: str
    status: Literal['APPROVED']
    createdAt: Timestamp
    updatedAt: Timestamp


class UpdatePostList(TypedDict):
    "A page of the approved posts of a server, newest first."

    updates: list[UpdatePost]
    total: int
    page: int
    totalPages: int
    latestUpdateAt: Timestamp | None


class UptimeInputs(TypedDict):
    "Inputs of the uptime."

    since: Timestamp
    onlineMs: int
    watchedMs: int


class VersionCount(TypedDict):
    "The number of servers that run a version."

    version: str
    serverCount: int


class VersionCounts(TypedDict):
    "Servers by game version."

    versions: list[VersionCount]


class Viewer(TypedDict):
    "The relation of the API key's account to the texture; all false for a key without an account."

    liked: bool
    favorited: bool
    isOwner: bool


class VoteCreatedData(TypedDict):
    "`vote.created`: a vote for the server."

    voteId: str


VoteStats = TypedDict("VoteStats", {"24h": "int", "7d": "int", "30d": "int", "90d": "int"})


class VotedServer(TypedDict):
    "A server that the player voted for."

    serverId: str
    serverSlug: str
    serverName: str
    serverIconUrl: PictureUrl
    votedAt: Timestamp


class Voter(TypedDict):
    "A vote for a server."

    id: str
    gameUsername: str
    votedAt: SpacedTimestamp
    type: Literal['auth', 'anonymous']
    playerId: str | None
    gameUuid: str | None
    skinUrl: PictureUrl
    linkedSkinPngPath: PictureUrl
    skinModel: Literal['classic', 'slim']
    siteUsername: str


class VoterList(TypedDict):
    "A page of the votes for a server, newest first."

    voters: list[Voter]
    total: int
    page: int
    totalPages: int
    latestVoteAt: SpacedTimestamp | None


class Endpoints:
    "One method for each endpoint."

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_servers(self, *, page: int | None = None, limit: int | None = None, sort: Literal['recent', 'players', 'votes', 'rating', 'uptime', 'trending', 'name'] | None = None, search: str | None = None, country: str | None = None, version: str | None = None, tag: str | None = None, mode: str | None = None, min_players: int | None = None, max_players: int | None = None, min_uptime: float | None = None, min_votes: int | None = None, min_rating: float | None = None, online_only: bool | None = None, fields: list[Literal['id', 'slug', 'name', 'shortDescription', 'ip', 'port', 'iconUrl', 'bannerUrl', 'motdImageUrl', 'motd', 'website', 'chatUrl', 'visibility', 'isOnline', 'currentPlayers', 'maxPlayers', 'version', 'latency', 'lastPing', 'country', 'tags', 'gameMode', 'uptime', 'trend', 'totalVotes', 'rating', 'createdAt']] | None = None, after: str | None = None) -> ServerList:
        "A page of the public servers. Filters are combined with AND; text filters compare whole values, case-insensitive."
        return self._transport.get("/servers", {"page": page, "limit": limit, "sort": sort, "search": search, "country": country, "version": version, "tag": tag, "mode": mode, "minPlayers": min_players, "maxPlayers": max_players, "minUptime": min_uptime, "minVotes": min_votes, "minRating": min_rating, "onlineOnly": online_only, "fields": fields, "after": after})

    def iter_servers(self, *, sort: Literal['recent', 'players', 'votes', 'rating', 'uptime', 'trending', 'name'] | None = None, search: str | None = None, country: str | None = None, version: str | None = None, tag: str | None = None, mode: str | None = None, min_players: int | None = None, max_players: int | None = None, min_uptime: float | None = None, min_votes: int | None = None, min_rating: float | None = None, online_only: bool | None = None, fields: list[Literal['id', 'slug', 'name', 'shortDescription', 'ip', 'port', 'iconUrl', 'bannerUrl', 'motdImageUrl', 'motd', 'website', 'chatUrl', 'visibility', 'isOnline', 'currentPlayers', 'maxPlayers', 'version', 'latency', 'lastPing', 'country', 'tags', 'gameMode', 'uptime', 'trend', 'totalVotes', 'rating', 'createdAt']] | None = None) -> Iterator[ServerSummary]:
        "All items of `list_servers`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/servers", {"sort": sort, "search": search, "country": country, "version": version, "tag": tag, "mode": mode, "minPlayers": min_players, "maxPlayers": max_players, "minUptime": min_uptime, "minVotes": min_votes, "minRating": min_rating, "onlineOnly": online_only, "fields": fields}, "servers")

    def server_detail(self, slug: str, *, period: Literal['24h', '7d', '30d', '90d', 'all-time'] | None = None) -> ServerDetailData:
        "One server: status, player history, statistics per period, and votes."
        return self._transport.get(f"/servers/{quote(slug)}", {"period": period})

    def server_voters(self, slug: str, *, page: int | None = None, limit: int | None = None, fields: list[Literal['id', 'gameUsername', 'votedAt', 'type', 'playerId', 'gameUuid', 'skinUrl', 'linkedSkinPngPath', 'skinModel', 'siteUsername']] | None = None, after: str | None = None) -> VoterList:
        "Votes, newest first, of accounts and anonymous voters."
        return self._transport.get(f"/servers/{quote(slug)}/voters", {"page": page, "limit": limit, "fields": fields, "after": after})

    def iter_server_voters(self, slug: str, *, fields: list[Literal['id', 'gameUsername', 'votedAt', 'type', 'playerId', 'gameUuid', 'skinUrl', 'linkedSkinPngPath', 'skinModel', 'siteUsername']] | None = None) -> Iterator[Voter]:
        "All items of `server_voters`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items(f"/servers/{quote(slug)}/voters", {"fields": fields}, "voters")

    def server_reviews(self, slug: str, *, page: int | None = None, limit: int | None = None, fields: list[Literal['id', 'serverId', 'userId', 'gameUsername', 'rating', 'content', 'createdAt', 'updatedAt', 'user', 'playerId', 'playerMainNickname', 'playerGameUuid', 'playerSkinUrl', 'playerSkinModel', 'playerLinkedSkinPngPath']] | None = None, after: str | None = None) -> ReviewList:
        "Reviews, newest first."
        return self._transport.get(f"/servers/{quote(slug)}/reviews", {"page": page, "limit": limit, "fields": fields, "after": after})

    def iter_server_reviews(self, slug: str, *, fields: list[Literal['id', 'serverId', 'userId', 'gameUsername', 'rating', 'content', 'createdAt', 'updatedAt', 'user', 'playerId', 'playerMainNickname', 'playerGameUuid', 'playerSkinUrl', 'playerSkinModel', 'playerLinkedSkinPngPath']] | None = None) -> Iterator[Review]:
        "All items of `server_reviews`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items(f"/servers/{quote(slug)}/reviews", {"fields": fields}, "reviews")

    def server_updates(self, slug: str, *, page: int | None = None, limit: int | None = None, fields: list[Literal['id', 'serverId', 'userId', 'title', 'content', 'status', 'createdAt', 'updatedAt']] | None = None, after: str | None = None) -> UpdatePostList:
        "Approved posts, newest first."
        return self._transport.get(f"/servers/{quote(slug)}/updates", {"page": page, "limit": limit, "fields": fields, "after": after})

    def iter_server_updates(self, slug: str, *, fields: list[Literal['id', 'serverId', 'userId', 'title', 'content', 'status', 'createdAt', 'updatedAt']] | None = None) -> Iterator[UpdatePost]:
        "All items of `server_updates`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items(f"/servers/{quote(slug)}/updates", {"fields": fields}, "updates")

    def top_servers(self, *, sort: Literal['votes', 'hot', 'players', 'rating', 'trending'] | None = None, limit: int | None = None, country: str | None = None, game_mode: str | None = None, fields: list[Literal['id', 'slug', 'name', 'ip', 'iconUrl', 'bannerUrl', 'motdImageUrl', 'currentPlayers', 'maxPlayers', 'isOnline', 'country', 'totalVotes', 'uptime', 'trend', 'recentVotes', 'hotScore']] | None = None) -> TopServers:
        "The top servers by votes, hot score, players, rating or trend."
        return self._transport.get("/servers/top", {"sort": sort, "limit": limit, "country": country, "gameMode": game_mode, "fields": fields})

    def server_countries(self) -> CountryCounts:
        "Countries with their number of servers, most first, then by name."
        return self._transport.get("/servers/countries", {})

    def server_versions(self) -> VersionCounts:
        "Game versions with their number of servers, most first, then by name."
        return self._transport.get("/servers/versions", {})

    def list_players(self, *, page: int | None = None, limit: int | None = None, sort: Literal['recent', 'name', 'playtime', 'sessions', 'tier'] | None = None, search: str | None = None, fields: list[Literal['id', 'gameUuid', 'mainNickname', 'skinUrl', 'linkedSkinPngPath', 'skinModel', 'country', 'tierOverall', 'tierPoints', 'tierRank', 'lastTierSyncAt', 'createdAt', 'totalPlayTime', 'sessionCount']] | None = None, after: str | None = None) -> PlayerList:
        "A page of the player directory."
        return self._transport.get("/players", {"page": page, "limit": limit, "sort": sort, "search": search, "fields": fields, "after": after})

    def iter_players(self, *, sort: Literal['recent', 'name', 'playtime', 'sessions', 'tier'] | None = None, search: str | None = None, fields: list[Literal['id', 'gameUuid', 'mainNickname', 'skinUrl', 'linkedSkinPngPath', 'skinModel', 'country', 'tierOverall', 'tierPoints', 'tierRank', 'lastTierSyncAt', 'createdAt', 'totalPlayTime', 'sessionCount']] | None = None) -> Iterator[PlayerSummary]:
        "All items of `list_players`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/players", {"sort": sort, "search": search, "fields": fields}, "players")

    def player_detail(self, id: str) -> PlayerDetailData:
        "The profile of a player: sessions, stats, achievements, votes and reviews."
        return self._transport.get(f"/players/{quote(id)}", {})

    def search(self, *, q: str, type: Literal['all', 'servers', 'players'] | None = None, limit: int | None = None, fields: list[Literal['id', 'slug', 'name', 'iconUrl', 'bannerUrl', 'currentPlayers', 'maxPlayers', 'isOnline', 'rating', 'gameUuid', 'mainNickname', 'createdAt', 'updatedAt']] | None = None) -> SearchData:
        "Better matches first (exact name, prefix, start of a word, inside the name, other fields), then the more popular. At most `limit` servers and `limit` players."
        return self._transport.get("/search", {"q": q, "type": type, "limit": limit, "fields": fields})

    def live(self) -> LiveData:
        "Totals over all public servers, the busiest servers, recent activity, and players by continent and country."
        return self._transport.get("/live", {})

    def live_history(self) -> LiveHistory:
        "Average total players online per hour over the last 7 days, oldest first. Hours without data are left out. With parameters: any range, in buckets."
        return self._transport.get("/live/history", {})

    def live_history_range(self, *, from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None, after: str | None = None) -> LiveHistoryRange:
        "Average total players online per hour over the last 7 days, oldest first. Hours without data are left out. With parameters: any range, in buckets."
        return self._transport.get("/live/history", {"from": from_, "to": to, "resolution": resolution, "after": after or "start"})

    def iter_live_history(self, *, from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None) -> Iterator[HistoryPoint]:
        "All items of `live_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/live/history", {"from": from_, "to": to, "resolution": resolution}, "points")

    def leaderboards(self, *, metric: Literal['best', 'sessions', 'servers'] | None = None, period: Literal['24h', '7d', '30d', '90d', 'all-time'] | None = None, page: int | None = None, limit: int | None = None, tier: str | None = None, achievement: str | None = None, search: str | None = None, fields: list[Literal['rank', 'player', 'value', 'formattedValue']] | None = None, after: str | None = None) -> LeaderboardData:
        "Players ranked by a metric within a period. Ties share a rank. Filters narrow the list; ranks stay those of the whole leaderboard."
        return self._transport.get("/leaderboards", {"metric": metric, "period": period, "page": page, "limit": limit, "tier": tier, "achievement": achievement, "search": search, "fields": fields, "after": after})

    def iter_leaderboards(self, *, metric: Literal['best', 'sessions', 'servers'] | None = None, period: Literal['24h', '7d', '30d', '90d', 'all-time'] | None = None, tier: str | None = None, achievement: str | None = None, search: str | None = None, fields: list[Literal['rank', 'player', 'value', 'formattedValue']] | None = None) -> Iterator[LeaderboardEntry]:
        "All items of `leaderboards`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/leaderboards", {"metric": metric, "period": period, "tier": tier, "achievement": achievement, "search": search, "fields": fields}, "leaderboard", "entries")

    def list_skins(self, *, page: int | None = None, limit: int | None = None, sort: Literal['recent', 'popular', 'likes', 'favorites', 'views', 'downloads', 'name', 'usage'] | None = None, search: str | None = None, tag: str | None = None, owner: str | None = None, model: Literal['classic', 'slim'] | None = None, fields: list[Literal['id', 'slug', 'name', 'model', 'tags', 'pngPath', 'viewCount', 'likeCount', 'favoriteCount', 'downloadCount', 'usageCount', 'isFeatured', 'createdAt', 'ownerId', 'owner']] | None = None, after: str | None = None) -> SkinList:
        "A page of the community skins."
        return self._transport.get("/skins", {"page": page, "limit": limit, "sort": sort, "search": search, "tag": tag, "owner": owner, "model": model, "fields": fields, "after": after})

    def iter_skins(self, *, sort: Literal['recent', 'popular', 'likes', 'favorites', 'views', 'downloads', 'name', 'usage'] | None = None, search: str | None = None, tag: str | None = None, owner: str | None = None, model: Literal['classic', 'slim'] | None = None, fields: list[Literal['id', 'slug', 'name', 'model', 'tags', 'pngPath', 'viewCount', 'likeCount', 'favoriteCount', 'downloadCount', 'usageCount', 'isFeatured', 'createdAt', 'ownerId', 'owner']] | None = None) -> Iterator[SkinSummary]:
        "All items of `list_skins`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/skins", {"sort": sort, "search": search, "tag": tag, "owner": owner, "model": model, "fields": fields}, "skins")

    def skin_detail(self, slug: str) -> SkinDetailData:
        "One skin, the players who wear it, and whether the account of the API key likes, favorites or owns it."
        return self._transport.get(f"/skins/{quote(slug)}", {})

    def list_capes(self, *, page: int | None = None, limit: int | None = None, sort: Literal['recent', 'popular', 'likes', 'favorites', 'views', 'downloads', 'name'] | None = None, search: str | None = None, tag: str | None = None, owner: str | None = None, fields: list[Literal['id', 'slug', 'name', 'tags', 'pngPath', 'viewCount', 'likeCount', 'favoriteCount', 'downloadCount', 'isFeatured', 'createdAt', 'ownerId', 'owner']] | None = None, after: str | None = None) -> CapeList:
        "A page of the community capes."
        return self._transport.get("/capes", {"page": page, "limit": limit, "sort": sort, "search": search, "tag": tag, "owner": owner, "fields": fields, "after": after})

    def iter_capes(self, *, sort: Literal['recent', 'popular', 'likes', 'favorites', 'views', 'downloads', 'name'] | None = None, search: str | None = None, tag: str | None = None, owner: str | None = None, fields: list[Literal['id', 'slug', 'name', 'tags', 'pngPath', 'viewCount', 'likeCount', 'favoriteCount', 'downloadCount', 'isFeatured', 'createdAt', 'ownerId', 'owner']] | None = None) -> Iterator[CapeSummary]:
        "All items of `list_capes`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/capes", {"sort": sort, "search": search, "tag": tag, "owner": owner, "fields": fields}, "capes")

    def cape_detail(self, slug: str) -> CapeDetailData:
        "One cape, the players who wear it, and whether the account of the API key likes, favorites or owns it."
        return self._transport.get(f"/capes/{quote(slug)}", {})

    def server_history(self, slug: str, *, from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None, fields: list[Literal['players', 'latency', 'tps', 'uptime']] | None = None, after: str | None = None) -> ServerHistory:
        "Players, latency, ticks per second and uptime over any range, in buckets, with the share of each bucket in which the server was watched."
        return self._transport.get(f"/servers/{quote(slug)}/history", {"from": from_, "to": to, "resolution": resolution, "fields": fields, "after": after})

    def iter_server_history(self, slug: str, *, from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None, fields: list[Literal['players', 'latency', 'tps', 'uptime']] | None = None) -> Iterator[HistoryPoint]:
        "All items of `server_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items(f"/servers/{quote(slug)}/history", {"from": from_, "to": to, "resolution": resolution, "fields": fields}, "points")

    def server_outages(self, slug: str, *, limit: int | None = None, after: str | None = None, fields: list[Literal['startedAt', 'endedAt', 'duration', 'reason']] | None = None) -> OutageList:
        "Times in which the server did not answer, newest first. An outage begins with the first of two pings in a row that fail."
        return self._transport.get(f"/servers/{quote(slug)}/outages", {"limit": limit, "after": after, "fields": fields})

    def iter_server_outages(self, slug: str, *, fields: list[Literal['startedAt', 'endedAt', 'duration', 'reason']] | None = None) -> Iterator[ServerOutage]:
        "All items of `server_outages`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items(f"/servers/{quote(slug)}/outages", {"fields": fields}, "outages")

    def explain_server(self, slug: str) -> ServerExplanation:
        "Uptime, trend, hot score, rating and rank, each with its formula, the inputs that give exactly this value, the share of time that was watched, and the time of computation; and how far the player count can be trusted. Lists show the figures as of the last minute."
        return self._transport.get(f"/servers/{quote(slug)}/explain", {})

    def batch_servers(self, *, slugs: list[str], fields: list[Literal['id', 'slug', 'name', 'shortDescription', 'ip', 'port', 'iconUrl', 'bannerUrl', 'motdImageUrl', 'motd', 'website', 'chatUrl', 'visibility', 'isOnline', 'currentPlayers', 'maxPlayers', 'version', 'latency', 'lastPing', 'country', 'tags', 'gameMode', 'uptime', 'trend', 'totalVotes', 'rating', 'createdAt']] | None = None) -> ServerBatch:
        "Servers as in the list, in the order of the request. Every 10 slugs or part of them count as one request of the quota."
        return self._transport.get("/servers/batch", {"slugs": slugs, "fields": fields})

    def batch_players(self, *, ids: list[str], fields: list[Literal['id', 'gameUuid', 'mainNickname', 'skinUrl', 'linkedSkinPngPath', 'skinModel', 'country', 'tierOverall', 'tierPoints', 'tierRank', 'lastTierSyncAt', 'createdAt', 'totalPlayTime', 'sessionCount']] | None = None) -> PlayerBatch:
        "Players as in the directory, in the order of the request. Every 10 ids or part of them count as one request of the quota."
        return self._transport.get("/players/batch", {"ids": ids, "fields": fields})

    def compare_history(self, *, servers: list[str], from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None, fields: list[Literal['players', 'latency', 'tps', 'uptime']] | None = None, after: str | None = None) -> HistoryComparison:
        "Players, latency, ticks per second and uptime of up to 10 servers over the same range, in buckets of the same width. A response has at most 2,000 points in all."
        return self._transport.get("/history", {"servers": servers, "from": from_, "to": to, "resolution": resolution, "fields": fields, "after": after})

    def iter_compare_history(self, *, servers: list[str], from_: str | None = None, to: str | None = None, resolution: Literal['auto', '5m', '1h', '1d'] | None = None, fields: list[Literal['players', 'latency', 'tps', 'uptime']] | None = None) -> Iterator[ComparedServer]:
        "All items of `compare_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/history", {"servers": servers, "from": from_, "to": to, "resolution": resolution, "fields": fields}, "servers")

    def key_status(self) -> KeyStatus:
        "Limits, usage and ends of the windows of the API key of this request. The call uses no quota, also when the quota is exhausted; it is allowed 30 times a minute. The playground runs it with your own key."
        return self._transport.get("/key", {})

    def events_list(self, *, after: str | None = None, limit: int | None = None, server: str | None = None, player: str | None = None, type: list[Literal['server.online', 'server.offline', 'server.peak', 'server.version', 'vote.created', 'review.created', 'post.approved', 'player.joined', 'player.left', 'player.renamed', 'skin.published']] | None = None, fields: list[Literal['id', 'type', 'at', 'server', 'player', 'data']] | None = None) -> EventList:
        "What happened to servers and players in the last 30 days, oldest first. Without `after` the newest events. Call again with `after` set to `next` to miss nothing and to see nothing twice."
        return self._transport.get("/events", {"after": after, "limit": limit, "server": server, "player": player, "type": type, "fields": fields})

    def iter_events_list(self, *, server: str | None = None, player: str | None = None, type: list[Literal['server.online', 'server.offline', 'server.peak', 'server.version', 'vote.created', 'review.created', 'post.approved', 'player.joined', 'player.left', 'player.renamed', 'skin.published']] | None = None, fields: list[Literal['id', 'type', 'at', 'server', 'player', 'data']] | None = None) -> Iterator[Event]:
        "All items of `events_list`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile."
        return self._transport.items("/events", {"server": server, "player": player, "type": type, "fields": fields}, "events")
