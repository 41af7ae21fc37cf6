from app.session import require_session


def handle(request):
    require_session(request)
    print("user", request["id"])
    return {"id": request["id"], "name": "Kim"}
